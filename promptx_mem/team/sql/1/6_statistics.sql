-- EXPLAIN shows anybody an estimate made from samples of all rows, so how many another space has: no samples are taken.
-- Every statement names the space and goes by an index; without samples the planner knows that as well.
DO $$
DECLARE
    place record;
BEGIN
    FOR place IN
        SELECT attrelid::regclass AS "table", attname AS "column" FROM pg_catalog.pg_attribute
        WHERE attrelid IN ('promptx_mem.records'::regclass, 'promptx_mem.also'::regclass) AND attnum > 0
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', place."table", place."column");
    END LOOP;
END
$$;
