"""What texts mean, as vectors made on this machine."""
