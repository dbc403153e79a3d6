"""The wells that tools come from: built-in files, plugins, MCP servers."""
