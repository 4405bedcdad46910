"""The import of files: read them, judge their content, merge own stores, store the rest in batches."""
