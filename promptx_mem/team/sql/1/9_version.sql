INSERT INTO promptx_mem.about (version, oldest) VALUES (1, 1);
