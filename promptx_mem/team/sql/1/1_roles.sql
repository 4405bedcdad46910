-- Roles belong to the whole server, not to one database. None of them can log in; `sync admin grant` gives them to roles that can.
-- A member reads and adds. A keeper, a member too, overwrites what was purged. An indexer makes the derived table.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['promptx_mem_member', 'promptx_mem_keeper', 'promptx_mem_indexer'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', name);
        END IF;
    END LOOP;
END
$$;
