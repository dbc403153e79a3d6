"""How one call runs: prepare, execute, finish."""
