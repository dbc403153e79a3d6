"""Models: each file reaches one kind of model and gives back a `ModelReply`."""
