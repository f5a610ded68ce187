-- Under what an attempt ran: the version of its policy (payment@3), a space and the
-- release; null for neither.
ALTER TABLE outlast_attempt ADD COLUMN label text;
ALTER TABLE outlast_done ADD COLUMN label text;
