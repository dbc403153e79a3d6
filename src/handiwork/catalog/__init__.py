"""What exists and what is shown."""
