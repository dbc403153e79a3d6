"""Doors for people. `house` puts the parts together."""
