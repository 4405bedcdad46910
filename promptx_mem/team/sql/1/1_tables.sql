-- Roles belong to the whole server, not to one database. They cannot log in; `sync admin grant` grants them to roles that can.
-- A member reads and adds records. A keeper is also a member, and overwrites purged records. An indexer fills the search table.
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

CREATE SCHEMA promptx_mem;

-- One row: the version of the schema. Every change increases `version`; a client with a version below `oldest` must stop.
CREATE TABLE promptx_mem.about (
    is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    version integer NOT NULL,
    oldest integer NOT NULL CHECK (oldest <= version),
    born uuid NOT NULL DEFAULT gen_random_uuid()
);

-- The roles that can use each space. A space `user:ROLE` belongs to one role: no other role can get it.
CREATE TABLE promptx_mem.grants (
    space text NOT NULL CHECK (length(space) BETWEEN 1 AND 100),
    role text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space, role),
    CHECK (space NOT LIKE 'user:%' OR space = 'user:' || role)
);

-- Lines and events: the exact bytes of each, and values by which it is found. Only `bytes` changes, and only after a purge.
--   kind      'line', 'event', 'purge' (an event that destroys texts)
--   hash      SHA-256 of the bytes; it stays when they are overwritten, so that no client adds them again
--   id        the memory's id; for an event, the first memory that it changes
--   ids       every id by which the record is found: its own, that of its text, those that it changes or supersedes
--   k         its position in the order of events, in microseconds
--   role, at, xid, seq   set by the server: the role, the time, the transaction, and the order within it
CREATE SEQUENCE promptx_mem.seq;

CREATE TABLE promptx_mem.records (
    space text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('line', 'event', 'purge')),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    id text NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 64),
    ids text[] NOT NULL CHECK (cardinality(ids) BETWEEN 1 AND 1000 AND id = ANY (ids)),
    k bigint NOT NULL CHECK (k > 0),
    bytes bytea NOT NULL CHECK (octet_length(bytes) <= 65536),
    role text NOT NULL DEFAULT current_user,
    at timestamptz NOT NULL DEFAULT now(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    seq bigint NOT NULL DEFAULT nextval('promptx_mem.seq'),
    PRIMARY KEY (space, hash),
    -- Otherwise a member could add other bytes under a record's hash, and "on conflict do nothing" would keep them.
    CONSTRAINT hash_of_bytes CHECK (octet_length(bytes) = 0 OR hash = sha256(bytes))
) PARTITION BY HASH (space);

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE promptx_mem.records_%s PARTITION OF promptx_mem.records FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
            part, part
        );
    END LOOP;
END
$$;

CREATE INDEX records_tail ON promptx_mem.records (space, xid, seq);
CREATE INDEX records_newest ON promptx_mem.records (space, k, hash);
CREATE INDEX records_id ON promptx_mem.records (space, id);
CREATE INDEX records_purges ON promptx_mem.records (space, id, k) WHERE kind = 'purge';

-- Row level security is forced, so that it also applies to the owner of the tables. Rows without a policy are invisible.
ALTER TABLE promptx_mem.about ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.records ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.grants FORCE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.records FORCE ROW LEVEL SECURITY;

REVOKE ALL ON SCHEMA promptx_mem FROM PUBLIC;
GRANT USAGE ON SCHEMA promptx_mem TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer;
GRANT SELECT ON promptx_mem.about, promptx_mem.grants TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer;
GRANT SELECT ON promptx_mem.records TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer;
-- Rights are per column, so that clients cannot set the server's values. Partitions are accessible only through the table.
GRANT INSERT (space, kind, hash, id, ids, k, bytes) ON promptx_mem.records TO promptx_mem_member;
GRANT UPDATE (bytes) ON promptx_mem.records TO promptx_mem_keeper;
GRANT USAGE ON SEQUENCE promptx_mem.seq TO promptx_mem_member;

CREATE POLICY everyone ON promptx_mem.about FOR SELECT USING (true);

-- A role reads its own grants. The role that created the tables (`sync admin setup`) changes them.
CREATE POLICY own ON promptx_mem.grants FOR SELECT USING (role = current_user);
CREATE POLICY administrator ON promptx_mem.grants TO CURRENT_USER USING (true) WITH CHECK (true);

CREATE POLICY granted ON promptx_mem.records FOR SELECT
    TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer
    USING (space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user));

CREATE POLICY granted_new ON promptx_mem.records FOR INSERT
    TO promptx_mem_member
    WITH CHECK (
        octet_length(bytes) > 0
        AND role = current_user
        AND space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user)
    );

-- A keeper empties purged records. Its client decides which records these are, because it can read bytes. A purge itself stays.
CREATE POLICY emptied ON promptx_mem.records FOR UPDATE
    TO promptx_mem_keeper
    USING (kind <> 'purge' AND space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user))
    WITH CHECK (octet_length(bytes) = 0);

-- The table that `recall --remote` searches: the terms of each memory, as numbers. An indexer creates it from the records,
-- and can create it again at any time. It contains neither records nor texts.
--   terms     64 bits of a hash of the space and a term: numbers differ between spaces, so that one index serves all
--   noted, k  the memory's position in the order of creation; `context`: equal for memories created together
--   ends_at   when the memory ends, in seconds since 1970
CREATE TABLE promptx_mem.derived (
    space text NOT NULL,
    id text NOT NULL,
    noted double precision NOT NULL,
    k bigint NOT NULL,
    context bigint NOT NULL,
    ends_at double precision NOT NULL,
    length integer NOT NULL,
    terms bigint[] NOT NULL,
    PRIMARY KEY (space, id)
) PARTITION BY HASH (space);

-- The number of memories of a space that contain a term.
CREATE TABLE promptx_mem.derived_terms (
    space text NOT NULL,
    term bigint NOT NULL,
    docs integer NOT NULL,
    PRIMARY KEY (space, term)
) PARTITION BY HASH (space);

-- The progress of indexing a space, the version of the tokenizer, and statistics. `length` is the sum over all texts.
CREATE TABLE promptx_mem.derived_spaces (
    space text PRIMARY KEY,
    version integer NOT NULL,
    mark text NOT NULL DEFAULT '',
    at timestamptz NOT NULL DEFAULT now(),
    memories bigint NOT NULL DEFAULT 0,
    length bigint NOT NULL DEFAULT 0
);

-- Memories whose bytes were overwritten after indexing. They are indexed again, or removed.
CREATE TABLE promptx_mem.derived_due (space text NOT NULL, id text NOT NULL, PRIMARY KEY (space, id));

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE promptx_mem.derived_%s PARTITION OF promptx_mem.derived FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
            part, part
        );
        EXECUTE format(
            'CREATE TABLE promptx_mem.derived_terms_%s PARTITION OF promptx_mem.derived_terms '
            'FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
            part, part
        );
    END LOOP;
END
$$;

CREATE INDEX derived_by_terms ON promptx_mem.derived USING gin (terms);
CREATE INDEX derived_noted ON promptx_mem.derived (space, noted, k, id);

-- The calling role, inside a function that runs with its owner's rights.
CREATE FUNCTION promptx_mem.caller() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END
$$;

CREATE FUNCTION promptx_mem.demand(the_space text) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promptx_mem.grants WHERE grants.space = the_space AND grants.role = promptx_mem.caller()
    ) THEN
        RAISE EXCEPTION 'the space is not granted to %', promptx_mem.caller() USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;

-- Triggers update the statistics after each statement on `derived`, so that they always match it.
CREATE FUNCTION promptx_mem.count_derived() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM FROM promptx_mem.derived_spaces WHERE space IN (SELECT space FROM changed) ORDER BY space FOR UPDATE;
    -- Not an update with a join, which would read the counts of all spaces.
    INSERT INTO promptx_mem.derived_terms AS stored
        SELECT space, term, sign * count(*) FROM changed, unnest(terms) AS term GROUP BY space, term
        ON CONFLICT (space, term) DO UPDATE SET docs = stored.docs + excluded.docs;
    UPDATE promptx_mem.derived_spaces AS stored SET
        memories = stored.memories + sums.memories * sign,
        length = stored.length + sums.length * sign
        FROM (SELECT space, count(*) AS memories, sum(changed.length) AS length FROM changed GROUP BY space) AS sums
        WHERE stored.space = sums.space;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_added AFTER INSERT ON promptx_mem.derived
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION promptx_mem.count_derived();
CREATE TRIGGER count_gone AFTER DELETE ON promptx_mem.derived
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION promptx_mem.count_derived();

-- When bytes are overwritten, the memory leaves the index and is indexed again: its text may have been stored again.
CREATE FUNCTION promptx_mem.forget_derived() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM promptx_mem.derived WHERE space = OLD.space AND id = ANY (OLD.ids);
    INSERT INTO promptx_mem.derived_due SELECT OLD.space, unnest(OLD.ids) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER forget_derived AFTER UPDATE OF bytes ON promptx_mem.records
    FOR EACH ROW WHEN (octet_length(NEW.bytes) = 0) EXECUTE FUNCTION promptx_mem.forget_derived();

-- The statistics that a query needs: the number of memories that contain each of its terms, in the order of the terms.
CREATE FUNCTION promptx_mem.statistics(the_space text, the_terms bigint[])
RETURNS TABLE (version integer, memories bigint, length bigint, docs integer[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    PERFORM promptx_mem.demand(the_space);
    RETURN QUERY SELECT spaces.version, spaces.memories, spaces.length, ARRAY(
        SELECT coalesce(stored.docs, 0)
        FROM unnest(the_terms) WITH ORDINALITY AS asked (term, place)
        LEFT JOIN promptx_mem.derived_terms AS stored ON stored.space = the_space AND stored.term = asked.term
        ORDER BY asked.place
    ) FROM promptx_mem.derived_spaces AS spaces WHERE spaces.space = the_space;
END
$$;

-- The newest memories that contain a term and are active at a time. They are read in the order of creation, which is fast
-- for a common term; the index by terms would return all of them, to be sorted.
CREATE FUNCTION promptx_mem.newest(the_space text, the_term bigint, living_at double precision, most integer)
RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_sort = off AS $$
BEGIN
    RETURN QUERY SELECT d.id FROM promptx_mem.derived AS d
        WHERE d.space = the_space AND d.terms @> ARRAY[the_term] AND d.ends_at > living_at
        ORDER BY d.noted DESC, d.k DESC, d.id DESC LIMIT most;
END
$$;

-- The query uses the rarest terms whose memories number at most `budget` in total, and always the first term. Each memory
-- with one of these terms gets the sum of their weights. The result has the `drawn` memories with the greatest sums, the
-- newest first among equals, and in addition `kept` active ones. If fewer than `enough` are active, the next
-- terms are used too, and the newest memories with each are added, up to 2000. Each memory is returned with the two
-- memories created before and after it, the nearest first: '' is a memory of another context. '~' before an id means that
-- the memory has none of the used terms, so it need not be read.
CREATE FUNCTION promptx_mem.candidates(
    the_space text, the_terms bigint[], weights double precision[], living_at double precision,
    budget integer, drawn integer, enough integer, kept integer
) RETURNS TABLE (id text, before text[], after text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
    most CONSTANT integer := 2000;
    rare integer;
    first bigint;
    alive bigint;
    matches text[];
BEGIN
    PERFORM promptx_mem.demand(the_space);
    IF budget > 10000 OR drawn > most OR kept > most OR cardinality(the_terms) > 200 OR cardinality(weights) > 200 THEN
        RAISE EXCEPTION 'at most 2000 memories, 200 terms and 10000 places of these' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT count(*) FILTER (WHERE sums.place = 1 OR sums.spent <= budget), min(sums.spent) INTO rare, first FROM (
        SELECT asked.place, sum(coalesce(stored.docs, 0)) OVER (ORDER BY asked.place) AS spent
        FROM unnest(the_terms) WITH ORDINALITY AS asked (term, place)
        LEFT JOIN promptx_mem.derived_terms AS stored ON stored.space = the_space AND stored.term = asked.term
    ) AS sums;
    IF first > budget THEN
        matches := ARRAY(SELECT promptx_mem.newest(the_space, the_terms[1], living_at, kept));
        alive := cardinality(matches);
        matches := ARRAY(SELECT promptx_mem.newest(the_space, the_terms[1], '-infinity', drawn) UNION SELECT unnest(matches));
    ELSE
        WITH sums AS MATERIALIZED (
            SELECT d.id, d.noted, d.k, d.ends_at > living_at AS living, sum(asked.weight) AS weight
            FROM unnest(the_terms[1:rare], weights[1:rare]) AS asked (term, weight), promptx_mem.derived AS d
            WHERE d.space = the_space AND d.terms @> ARRAY[asked.term] GROUP BY 1, 2, 3, 4
        )
        SELECT ARRAY(
            (SELECT s.id FROM sums AS s ORDER BY s.weight DESC, s.noted DESC, s.k DESC, s.id DESC LIMIT drawn)
            UNION
            (SELECT s.id FROM sums AS s WHERE s.living ORDER BY s.weight DESC, s.noted DESC, s.k DESC, s.id DESC LIMIT kept)
        ), (SELECT count(*) FROM sums AS s WHERE s.living) INTO matches, alive;
    END IF;
    IF alive < enough AND rare < cardinality(the_terms) THEN
        FOR place IN rare + 1..cardinality(the_terms) LOOP
            EXIT WHEN cardinality(matches) >= most;
            matches := matches || ARRAY(
                SELECT new.id FROM promptx_mem.newest(the_space, the_terms[place], '-infinity', most)
                WITH ORDINALITY AS new (id, number)
                WHERE NOT EXISTS (SELECT FROM unnest(matches) AS old (id) WHERE old.id = new.id)
                ORDER BY new.number LIMIT most - cardinality(matches)
            );
        END LOOP;
        rare := cardinality(the_terms);
        WITH sums AS MATERIALIZED (
            SELECT d.id, d.noted, d.k, d.ends_at > living_at AS living, (
                SELECT sum(asked.weight) FROM unnest(the_terms, weights) AS asked (term, weight)
                WHERE asked.term = ANY (d.terms)
            ) AS weight
            FROM unnest(matches) AS match (id), LATERAL (
                SELECT * FROM promptx_mem.derived AS one WHERE one.space = the_space AND one.id = match.id LIMIT 1
            ) AS d
        )
        SELECT ARRAY(
            (SELECT s.id FROM sums AS s ORDER BY s.weight DESC, s.noted DESC, s.k DESC, s.id DESC LIMIT drawn)
            UNION
            (SELECT s.id FROM sums AS s WHERE s.living ORDER BY s.weight DESC, s.noted DESC, s.k DESC, s.id DESC LIMIT kept)
        ) INTO matches;
    END IF;
    -- One by one instead of "= ANY (matches)", which reads the whole space before the first ANALYZE.
    RETURN QUERY SELECT d.id,
        ARRAY(
            SELECT CASE WHEN near.context <> d.context THEN '' WHEN near.terms && the_terms[1:rare] THEN near.id ELSE '~' || near.id END
            FROM promptx_mem.derived AS near
            WHERE near.space = the_space AND (near.noted, near.k, near.id) < (d.noted, d.k, d.id)
            ORDER BY near.noted DESC, near.k DESC, near.id DESC LIMIT 2
        ),
        ARRAY(
            SELECT CASE WHEN near.context <> d.context THEN '' WHEN near.terms && the_terms[1:rare] THEN near.id ELSE '~' || near.id END
            FROM promptx_mem.derived AS near
            WHERE near.space = the_space AND (near.noted, near.k, near.id) > (d.noted, d.k, d.id)
            ORDER BY near.noted, near.k, near.id LIMIT 2
        )
        FROM unnest(matches) AS match (id), LATERAL (
            SELECT * FROM promptx_mem.derived AS one WHERE one.space = the_space AND one.id = match.id LIMIT 1
        ) AS d;
END
$$;

ALTER TABLE promptx_mem.derived ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.derived_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.derived_spaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.derived_due ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA promptx_mem FROM PUBLIC;
GRANT EXECUTE ON FUNCTION promptx_mem.statistics, promptx_mem.candidates TO promptx_mem_member, promptx_mem_indexer;
GRANT SELECT, INSERT, DELETE, UPDATE (ends_at, noted, k) ON promptx_mem.derived TO promptx_mem_indexer;
GRANT SELECT, INSERT, DELETE, UPDATE (version, mark, at) ON promptx_mem.derived_spaces TO promptx_mem_indexer;
GRANT SELECT, DELETE ON promptx_mem.derived_due, promptx_mem.derived_terms TO promptx_mem_indexer;

CREATE POLICY granted ON promptx_mem.derived TO promptx_mem_indexer
    USING (space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user));
CREATE POLICY granted ON promptx_mem.derived_terms TO promptx_mem_indexer
    USING (space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user));
CREATE POLICY granted ON promptx_mem.derived_spaces TO promptx_mem_indexer
    USING (space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user));
CREATE POLICY granted ON promptx_mem.derived_due TO promptx_mem_indexer
    USING (space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user));

-- Further ids by which a record is found, one per row. An index on `ids` itself would never be used, because row level
-- security lets no array operator see a row before the policy has allowed it.
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

-- EXPLAIN shows everyone an estimate from samples of all rows, and so the size of other spaces. So no samples are taken.
-- Every statement names the space and uses an index, so the planner needs no samples.
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

INSERT INTO promptx_mem.about (version, oldest) VALUES (1, 1);
