-- The transaction of a caller that has inserted the row: null for all others, whose
-- enqueue tells the owner of the lane when it has committed. Transactions end in
-- another order than they began; by their ids it is known which of them a look has seen.
ALTER TABLE outlast_task ADD COLUMN arrived xid8;
-- The lane in it is disguised, so that no other index of lanes looks like it.
CREATE INDEX outlast_task_arrived ON outlast_task ((lane + 0), arrived) WHERE arrived IS NOT NULL;
