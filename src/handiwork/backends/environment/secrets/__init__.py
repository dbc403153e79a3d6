"""Secrets that commands use and don't hold: they get a placeholder, and the proxy puts the value in on the way out."""
