"""The API that users of Media Cloud's search and directory already know."""
