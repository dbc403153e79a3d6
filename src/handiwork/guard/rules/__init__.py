"""Rules of a person: what is allowed, asked about or denied, whatever the guard alone would say."""
