-- Whose a task is, null for nobody's: starts of a queue go round the share keys. Of each
-- queue: how many tasks of one share key run at once, 0 for no limit, and how many of them
-- start in a time, such as 50/s, '' for no limit.
ALTER TABLE outlast_task ADD COLUMN share_key VARBINARY(512);
ALTER TABLE outlast_queue ADD COLUMN share_concurrency BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outlast_queue ADD COLUMN share_rate VARBINARY(64) NOT NULL DEFAULT '';
