-- Under what an attempt ran: the version of its policy (payment@3), a space and the
-- release; null for neither.
ALTER TABLE outlast_attempt ADD COLUMN label VARBINARY(255);
ALTER TABLE outlast_done ADD COLUMN label VARBINARY(255);
