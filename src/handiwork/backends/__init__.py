"""Where work is done: one file per implementation behind a small protocol."""
