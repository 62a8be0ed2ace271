"""Tearsheet: collect the news, keep proof of every page, search it, and map how a topic spreads."""

__version__ = "0.1.0"
