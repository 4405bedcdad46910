"""The package of `sync`: one memory for a team, on a PostgreSQL server. Only the command and Memory import it."""
