"""Team memory on a PostgreSQL server: `sync` and `recall --remote`. Only these commands import this package."""
