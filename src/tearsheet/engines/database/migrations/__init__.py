"""The migrations that build the schema, step by step."""
