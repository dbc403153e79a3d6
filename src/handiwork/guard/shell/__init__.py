"""Reading shell text: its structure, its words, and what would happen step by step. Nothing is ever run."""
