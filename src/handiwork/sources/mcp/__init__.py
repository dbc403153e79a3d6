"""Tools of MCP servers: programs and web services that speak the Model Context Protocol."""
