"""What the person trusts of what came from elsewhere: by the hash of what it holds."""
