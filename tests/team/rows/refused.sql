UPDATE promptx_mem.records SET bytes = ''
UPDATE promptx_mem.records SET space = 'mine'
UPDATE promptx_mem.records SET role = 'bob' WHERE space = 'mine'
DELETE FROM promptx_mem.records
DELETE FROM promptx_mem.records WHERE space = 'mine'
DELETE FROM promptx_mem.grants
TRUNCATE promptx_mem.records
TRUNCATE promptx_mem.records_0
SELECT * FROM promptx_mem.records_0 UNION ALL SELECT * FROM promptx_mem.records_7
SELECT * FROM promptx_mem.records FOR UPDATE
SELECT * FROM promptx_mem.records FOR KEY SHARE
LOCK TABLE promptx_mem.records IN EXCLUSIVE MODE
LOCK TABLE promptx_mem.records IN ACCESS EXCLUSIVE MODE
COPY promptx_mem.records FROM STDIN
COPY (SELECT * FROM promptx_mem.records) TO '/tmp/out'
COPY public.open_to_all FROM PROGRAM 'id'
ALTER TABLE promptx_mem.records DISABLE ROW LEVEL SECURITY
ALTER TABLE promptx_mem.records NO FORCE ROW LEVEL SECURITY
ALTER TABLE promptx_mem.records OWNER TO current_user
DROP TABLE promptx_mem.records
DROP POLICY granted ON promptx_mem.records
CREATE POLICY mine ON promptx_mem.records USING (true)
CREATE TRIGGER t BEFORE INSERT ON promptx_mem.records FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()
CREATE RULE r AS ON SELECT TO promptx_mem.records DO INSTEAD SELECT 1
CREATE TABLE promptx_mem.mine (x int)
CREATE FUNCTION promptx_mem.demand(text) RETURNS void LANGUAGE sql AS ''
CREATE TABLE public.child () INHERITS (promptx_mem.records)
CREATE TABLE public.child PARTITION OF promptx_mem.records FOR VALUES WITH (MODULUS 32, REMAINDER 1)
CREATE TABLE public.ref (space text, hash bytea, FOREIGN KEY (space, hash) REFERENCES promptx_mem.records)
CREATE TEMP TABLE ref (space text, hash bytea, FOREIGN KEY (space, hash) REFERENCES promptx_mem.records)
CREATE INDEX ON promptx_mem.records (bytes)
CREATE STATISTICS s ON space, hash FROM promptx_mem.records
COMMENT ON TABLE promptx_mem.records IS 'mine'
INSERT INTO promptx_mem.grants (space, role) VALUES ('others', current_user)
UPDATE promptx_mem.grants SET space = 'others'
INSERT INTO promptx_mem.about (version, oldest) VALUES (9, 9)
UPDATE promptx_mem.about SET version = 9
SELECT setval('promptx_mem.seq', 1)
ALTER SEQUENCE promptx_mem.seq RESTART
INSERT INTO promptx_mem.also VALUES ('mine', 'm_x', sha256('x'))
DELETE FROM promptx_mem.also
SELECT * FROM promptx_mem.derived
SELECT * FROM promptx_mem.derived_terms
SELECT * FROM promptx_mem.derived_spaces
SELECT * FROM promptx_mem.derived_due
INSERT INTO promptx_mem.derived VALUES ('mine', 'm_9', 1, 1, 1, 1, 1, '{}')
SELECT promptx_mem.demand('mine')
SELECT promptx_mem.note_also()
SELECT * FROM promptx_mem.statistics('others', '{7}')
SELECT * FROM promptx_mem.candidates('others', '{7}', '{1}', '-infinity', 9, 9, 9, 9)
SELECT * FROM promptx_mem.candidates('mine', '{7}', '{1}', '-infinity', 9, 9, 9, 2001)
SET ROLE postgres
SET ROLE {bob}
SET ROLE {keeper}
SET SESSION AUTHORIZATION {bob}
SET row_security = off; SELECT * FROM promptx_mem.records
GRANT {bob} TO {alice}
GRANT promptx_mem_keeper TO {alice}
ALTER ROLE {alice} BYPASSRLS
ALTER ROLE {alice} SUPERUSER
CREATE ROLE deputy BYPASSRLS
SELECT * FROM pg_statistic
SELECT * FROM pg_authid
SELECT pg_read_file('postgresql.conf')
SELECT lo_import('/etc/passwd')
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user
SELECT pg_ls_dir('base')
CREATE EXTENSION dblink
ALTER DATABASE {database} SET row_security = off
ALTER SYSTEM SET row_security = off
