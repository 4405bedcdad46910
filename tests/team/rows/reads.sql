SELECT space, convert_from(bytes, 'UTF8') FROM promptx_mem.records
SELECT space, hash FROM promptx_mem.records WHERE space = 'others'
SELECT space, count(*) FROM promptx_mem.records GROUP BY space
SELECT space FROM promptx_mem.records ORDER BY space DESC LIMIT 1
SELECT (promptx_mem.records).space FROM promptx_mem.records
SELECT row_to_json(r) ->> 'space' FROM promptx_mem.records AS r
SELECT space FROM promptx_mem.records UNION ALL SELECT space FROM promptx_mem.records
SELECT r.space FROM promptx_mem.records AS r RIGHT JOIN promptx_mem.records AS s USING (hash)
SELECT space FROM promptx_mem.also
SELECT space FROM promptx_mem.grants
SELECT xmlforest(space) FROM promptx_mem.records
SELECT query_to_xml('SELECT space, bytes FROM promptx_mem.records', true, true, '')
SELECT table_to_xml('promptx_mem.records', true, true, '')
SELECT cursor_to_xml('none', 1, true, true, '')
WITH RECURSIVE r AS (SELECT space FROM promptx_mem.records UNION SELECT space FROM r) SELECT * FROM r
SELECT space FROM promptx_mem.records TABLESAMPLE SYSTEM (100)
SELECT space FROM promptx_mem.records WHERE tableoid > 0 AND ctid >= '(0,0)'
SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE schemaname = 'promptx_mem'
SELECT most_common_vals FROM pg_stats_ext
SELECT query FROM pg_stat_activity WHERE usename <> current_user AND query LIKE '%secret%'
