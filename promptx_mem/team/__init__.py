"""One memory for a team, in a PostgreSQL server: the package of `sync`. Only the command and Memory import it."""
