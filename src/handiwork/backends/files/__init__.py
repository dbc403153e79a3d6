"""Files as agents use them: text windows, exact edits, whole or not at all, search."""
