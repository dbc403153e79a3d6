"""The built-in tools. One file is one toolset; a new file is all that a new tool needs."""
