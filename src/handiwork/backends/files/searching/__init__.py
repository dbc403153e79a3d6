"""Searching files: by ripgrep, or by ourselves where it is missing; one page at a time."""
