"""Child processes: the one helper that starts them, what holds them, what ends them."""
