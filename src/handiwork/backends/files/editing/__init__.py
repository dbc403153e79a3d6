"""Files as they are changed: exact edits, patches over several files, what must hold before a write."""
