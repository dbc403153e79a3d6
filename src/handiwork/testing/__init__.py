"""Parts for testing tools and agents; shipped to users."""
