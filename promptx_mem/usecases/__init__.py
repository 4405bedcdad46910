"""One use case a file; memory.Memory calls them."""
