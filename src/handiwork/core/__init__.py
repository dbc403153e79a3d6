"""The words that all rooms use. Standard library only."""
