-- Under which further ids a record is looked for, one a row: an index on `ids` itself is never used under row level
-- security, which lets no operator of arrays see a row before the policy has.
CREATE TABLE promptx_mem.also (
    space text NOT NULL,
    id text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (space, id, hash)
) PARTITION BY HASH (space);

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE promptx_mem.also_%s PARTITION OF promptx_mem.also FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
            part, part
        );
    END LOOP;
END
$$;

CREATE FUNCTION promptx_mem.note_also() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO promptx_mem.also
        SELECT DISTINCT added.space, further, added.hash FROM added, unnest(added.ids) AS further WHERE further <> added.id
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_also AFTER INSERT ON promptx_mem.records
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION promptx_mem.note_also();

ALTER TABLE promptx_mem.also ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON FUNCTION promptx_mem.note_also FROM PUBLIC;
GRANT SELECT ON promptx_mem.also TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer;
CREATE POLICY granted ON promptx_mem.also FOR SELECT
    TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer
    USING (space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user));
