"""Build the engines and services from the settings. Nothing else opens connections."""
