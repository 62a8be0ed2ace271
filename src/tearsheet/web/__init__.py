"""The HTTP server: pages for people, and an API for programs."""
