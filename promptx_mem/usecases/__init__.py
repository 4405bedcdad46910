"""The use cases, one per module. The methods of `memory.Memory` call them."""
