-- Under what an attempt ran: the version of its policy (payment@3), a space and the
-- release; null for neither. In outlast_task, of the attempt that the row records.
ALTER TABLE outlast_attempt ADD COLUMN label TEXT;
ALTER TABLE outlast_task ADD COLUMN label TEXT;
