"""The import of files: read them, check each memory, merge the user's own stores, store other memories in batches."""
