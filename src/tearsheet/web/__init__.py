"""The HTTP server: pages for people, and an API for programs."""

from tearsheet.web.app import create_app
from tearsheet.web.server import bind, serve

__all__ = ["bind", "create_app", "serve"]
