-- Row level security, forced: it holds for the owner of the tables too. What no policy allows is not there.
ALTER TABLE promptx_mem.about ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.records ENABLE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.grants FORCE ROW LEVEL SECURITY;
ALTER TABLE promptx_mem.records FORCE ROW LEVEL SECURITY;

REVOKE ALL ON SCHEMA promptx_mem FROM PUBLIC;
GRANT USAGE ON SCHEMA promptx_mem TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer;
GRANT SELECT ON promptx_mem.about, promptx_mem.grants TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer;
GRANT SELECT ON promptx_mem.records TO promptx_mem_member, promptx_mem_keeper, promptx_mem_indexer;
-- By columns: what the server sets nobody else can say. The partitions are reached through the table alone.
GRANT INSERT (space, kind, hash, id, ids, k, bytes) ON promptx_mem.records TO promptx_mem_member;
GRANT UPDATE (bytes) ON promptx_mem.records TO promptx_mem_keeper;
GRANT USAGE ON SEQUENCE promptx_mem.seq TO promptx_mem_member;

CREATE POLICY everyone ON promptx_mem.about FOR SELECT USING (true);

-- A role reads its own grants; who made the tables (`sync admin setup`) changes them.
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

-- A keeper empties what a purge names. Which records those are its client says, which alone reads bytes; a purge itself stays.
CREATE POLICY emptied ON promptx_mem.records FOR UPDATE
    TO promptx_mem_keeper
    USING (kind <> 'purge' AND space IN (SELECT grants.space FROM promptx_mem.grants WHERE grants.role = current_user))
    WITH CHECK (octet_length(bytes) = 0);
