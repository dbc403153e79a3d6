"""Where the values of a call came from: the person, a field that a tool vouches for, or text from outside."""

from .ledger import Ledger

__all__ = ["Ledger"]
