"""`handiwork doctor`: looks at what works here; one file for each part of the house."""
