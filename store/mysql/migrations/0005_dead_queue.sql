-- Dead letters by queue, for lists that are bound to queues.
ALTER TABLE outlast_dead ADD COLUMN queue VARBINARY(512) NOT NULL DEFAULT '';
UPDATE outlast_dead d STRAIGHT_JOIN outlast_task t ON t.id = d.id SET d.queue = t.queue;
CREATE INDEX outlast_dead_queue ON outlast_dead (queue, id);
