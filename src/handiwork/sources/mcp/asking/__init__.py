"""What servers ask of us while we call them: answers of a model, of the person, and where we work."""
