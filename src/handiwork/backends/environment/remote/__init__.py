"""Other machines and containers, reached by commands."""
