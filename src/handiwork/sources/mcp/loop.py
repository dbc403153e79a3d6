"""The loop that all servers are talked to on: not the tools' own, so that no handler can hold it up."""

from __future__ import annotations

import os

from ...core.bridge import Bridge

mcp_bridge = Bridge("mcp")
os.register_at_fork(after_in_child=mcp_bridge.abandon)
