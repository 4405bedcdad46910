"""One memory for a team, in a PostgreSQL: what `sync` does. The command and Memory alone import this room."""
