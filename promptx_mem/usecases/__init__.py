"""The use cases, one per module; memory.Memory calls them."""
