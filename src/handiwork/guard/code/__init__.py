"""Reading program text that stands inside a command: Python, other script languages, SQL, editors' commands."""
