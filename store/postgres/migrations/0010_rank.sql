-- The id in the index by rank was disguised as uuid_send(id), which takes a kilobyte of
-- memory for each row that is written; in a COPY for a thousand rows at once.
CREATE INDEX outlast_task_rank_id ON outlast_task (lane, park, rank, greatest(id));
DROP INDEX outlast_task_rank;
