"""What a model wrote as arguments, turned into what the tool's schema says, or refused in clear words."""
