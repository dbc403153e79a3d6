"""Where sessions are kept: in a home, the file of this name."""

FILE = "sessions.db"
