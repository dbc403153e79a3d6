"""The one client that everything fetches with: each address is judged, when it is asked for and when it is reached."""
