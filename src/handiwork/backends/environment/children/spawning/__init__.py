"""What runs in the process that starts commands: standard library only, and none of the other rooms.

The process is started on this folder alone (see `..spawner`), so that it stays small and its forks cheap.
"""
