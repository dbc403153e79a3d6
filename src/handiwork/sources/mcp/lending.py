"""The name under which an agent lends its model to servers, and what goes over that counter."""

from __future__ import annotations

# Among the bindings of a scope. No tool has this name: no model can call it.
LENT_MODEL = "mcp: the agent's model"
