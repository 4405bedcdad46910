"""The import of files: read them, check their memories, merge the user's own stores, store the rest in batches."""
