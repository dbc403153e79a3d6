"""The audit on disk: chained lines that are only ever appended, and whether they still are what was written."""
