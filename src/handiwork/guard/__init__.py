"""What must not happen, and who is asked."""
