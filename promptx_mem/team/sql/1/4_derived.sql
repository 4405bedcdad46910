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

-- At most `most` memories with one of the first four `rare` terms that live at a moment: those with two of them first, then
-- by the rarest; by further terms as long as that is not `enough`. Of these the `kept` with the greatest sums of `weights`,
-- each with the two noted before and after it, nearest first: '' stands for one of another context, '~' before an id says
-- that it has none of the terms, so that it need not be read.
CREATE FUNCTION promptx_mem.candidates(
    the_space text, rare bigint[], every bigint[], weights double precision[], living_at double precision,
    enough integer, most integer, kept integer
) RETURNS TABLE (id text, before text[], after text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off AS $$
DECLARE
    matches text[] := '{}';
    further text[];
BEGIN
    PERFORM promptx_mem.demand(the_space);
    IF most > 2000 OR kept > 2000 OR cardinality(rare) > 200 OR cardinality(every) > 200 THEN
        RAISE EXCEPTION 'at most 2000 memories and 200 terms' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF cardinality(rare) > 1 THEN
        matches := ARRAY(
            SELECT d.id FROM promptx_mem.derived AS d
            WHERE d.space = the_space AND d.ends_at > living_at AND (
                d.terms @> rare[1:2] OR d.terms @> (rare[1:1] || rare[3:3]) AND cardinality(rare) > 2
                OR d.terms @> rare[2:3] AND cardinality(rare) > 2
                OR d.terms @> (rare[1:1] || rare[4:4]) AND cardinality(rare) > 3
                OR d.terms @> (rare[2:2] || rare[4:4]) AND cardinality(rare) > 3
                OR d.terms @> rare[3:4] AND cardinality(rare) > 3
            ) LIMIT most
        );
    END IF;
    FOR place IN 1..coalesce(cardinality(rare), 0) LOOP
        EXIT WHEN cardinality(matches) >= most OR place > 4 AND cardinality(matches) >= enough;
        further := ARRAY(
            SELECT d.id FROM promptx_mem.derived AS d
            WHERE d.space = the_space AND d.ends_at > living_at AND d.terms @> rare[place:place] LIMIT most
        );
        matches := matches || ARRAY(
            SELECT unnest(further) EXCEPT SELECT unnest(matches) LIMIT most - cardinality(matches)
        );
    END LOOP;
    IF cardinality(matches) > kept THEN
        matches := ARRAY(
            SELECT d.id FROM promptx_mem.derived AS d WHERE d.space = the_space AND d.id = ANY (matches)
            ORDER BY (
                SELECT sum(asked.weight) FROM unnest(every, weights) AS asked (term, weight) WHERE asked.term = ANY (d.terms)
            ) DESC, d.noted DESC, d.k DESC, d.id DESC LIMIT kept
        );
    END IF;
    RETURN QUERY SELECT d.id,
        ARRAY(
            SELECT CASE WHEN near.context <> d.context THEN '' WHEN near.terms && every THEN near.id ELSE '~' || near.id END
            FROM promptx_mem.derived AS near
            WHERE near.space = the_space AND (near.noted, near.k, near.id) < (d.noted, d.k, d.id)
            ORDER BY near.noted DESC, near.k DESC, near.id DESC LIMIT 2
        ),
        ARRAY(
            SELECT CASE WHEN near.context <> d.context THEN '' WHEN near.terms && every THEN near.id ELSE '~' || near.id END
            FROM promptx_mem.derived AS near
            WHERE near.space = the_space AND (near.noted, near.k, near.id) > (d.noted, d.k, d.id)
            ORDER BY near.noted, near.k, near.id LIMIT 2
        )
        FROM promptx_mem.derived AS d WHERE d.space = the_space AND d.id = ANY (matches);
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
