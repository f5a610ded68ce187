-- Dead letters by queue, for lists and for the numbers of queues.
CREATE INDEX outlast_dead_queue ON outlast_dead (queue, id);
