"""Sandboxes on this machine: what a command sees and may do, the way out, and what is said of a refusal."""
