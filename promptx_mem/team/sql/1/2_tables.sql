CREATE SCHEMA promptx_mem;

-- One row: which schema this is. `version` goes up with every change; a client of a version below `oldest` cannot go on.
CREATE TABLE promptx_mem.about (
    is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    version integer NOT NULL,
    oldest integer NOT NULL CHECK (oldest <= version),
    born uuid NOT NULL DEFAULT gen_random_uuid()
);

-- Who may use which space. A space `user:ROLE` is one person's own: nobody else is ever granted it.
CREATE TABLE promptx_mem.grants (
    space text NOT NULL CHECK (length(space) BETWEEN 1 AND 100),
    role text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space, role),
    CHECK (space NOT LIKE 'user:%' OR space = 'user:' || role)
);

-- Lines and events: the exact bytes of each, and where it is to be looked for. Never changed, but for `bytes` after a purge.
--   kind      'line', 'event', 'purge' (an event that destroys)
--   hash      SHA-256 of the bytes; stays when they are overwritten, so that nobody brings them back
--   id        the memory's; of an event the first that it acts on
--   ids       every id under which the record is looked for: its own, the one its text gives, what it acts on, what it supersedes
--   k         its place in the order of events, microseconds
--   role, at, xid, seq   set by the server alone: who, when, in which transaction, in which order within it
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
    -- Else a member could take the place of another's record with other bytes, and "on conflict do nothing" would keep these.
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
