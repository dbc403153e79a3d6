"""Logging in to servers that are web services, by OAuth 2.1: the SDK's flow, our store, our limits."""
