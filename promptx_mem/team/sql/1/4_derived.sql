-- What `recall --remote` searches in: of each memory the program's own terms, as numbers. Made from the records by an
-- indexer, and made again at any time; nothing in it is a record, and no text.
--   terms     64 bits of a hash of the space and a term: a space's terms are its own, so that one index serves all
--   noted, k  the memory's place in the order of noting; `context`: what memories noted together share
--   ends_at   when it ends, seconds since 1970
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

-- In how many memories of a space a term stands.
CREATE TABLE promptx_mem.derived_terms (
    space text NOT NULL,
    term bigint NOT NULL,
    docs integer NOT NULL,
    PRIMARY KEY (space, term)
) PARTITION BY HASH (space);

-- How far a space is derived, by which version of the tokenizer, and its statistics. `length` is that of all texts.
CREATE TABLE promptx_mem.derived_spaces (
    space text PRIMARY KEY,
    version integer NOT NULL,
    mark text NOT NULL DEFAULT '',
    at timestamptz NOT NULL DEFAULT now(),
    memories bigint NOT NULL DEFAULT 0,
    length bigint NOT NULL DEFAULT 0
);

-- Memories whose bytes were overwritten since: they are derived again, or no more.
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

-- Who asks, inside a function that runs with its owner's rights.
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

-- The statistics follow each statement on `derived`, so that they cannot disagree with it.
CREATE FUNCTION promptx_mem.count_derived() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    PERFORM FROM promptx_mem.derived_spaces WHERE space IN (SELECT space FROM changed) ORDER BY space FOR UPDATE;
    -- Never an update that joins: it would read through the counts of all spaces.
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

-- What was purged leaves the index with the bytes, and is looked at again: its text may have been stored anew.
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

-- The statistics of a space, as far as a question asks: in how many memories each of the terms stands, in their order.
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

-- The newest memories with a term that live at a moment. They are met in the order of noting, and so at once where the term
-- is common; the index by terms would give all that have it, to be sorted.
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

-- Of the terms, the rarest first, those that stand in no more than `budget` memories together, the first at least: the rare
-- ones. Each memory with one of them has the sum of their weights. What comes is the `drawn` memories with the greatest
-- sums, the newest first among equals, and the `kept` of these that live at a moment. Where fewer than `enough` live, the
-- further terms count as well, and the newest with each of them come to it as long as there are not 2000. Each comes with
-- the two noted before and after it, nearest first: '' stands for one of another context, '~' before an id says that it has
-- none of the terms that count, so that it need not be read.
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
    -- One by one, and not "= ANY (matches)": before the first ANALYZE that reads the space through.
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
