"""The ports and their adapters: database, broker, index, blobs, events."""
