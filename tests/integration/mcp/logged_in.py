"""Another process that uses a login: `logged_in.py URL HOME` connects and says in which state it is."""

import sys

from handiwork.catalog.store import ToolRegistry
from handiwork.sources.mcp.host import Host
from handiwork.sources.mcp.settings import read_servers

host = Host(ToolRegistry(), read_servers({"g": {"url": sys.argv[1]}}), home=sys.argv[2])
host.check(["g"])
print(host.state("g").name)
host.close()
