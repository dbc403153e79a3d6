"""Environments: places where commands run."""
