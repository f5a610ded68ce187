package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

// rightsQuery reads what a user may do in the schema: the tables that it may not
// work on, the role that owns the tables of which days are made if the user has no
// part in it, whether it may take numbers.
const rightsQuery = `SELECT current_user::text, s.name, n.oid IS NOT NULL,
	coalesce(has_schema_privilege(n.oid, 'USAGE'), false), coalesce(has_schema_privilege(n.oid, 'CREATE'), false), has_database_privilege(current_database(), 'CREATE'),
	(SELECT coalesce(array_agg(c.relname::text || ' (' || p.name || ')' ORDER BY c.relname, p.name), '{}')
	 FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p(name)
	 WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname LIKE 'outlast\_%' AND NOT has_table_privilege(c.oid, p.name)),
	coalesce((SELECT pg_get_userbyid(c.relowner)::text FROM pg_class c
	 WHERE c.relnamespace = n.oid AND c.relkind = 'p' AND c.relname IN ('outlast_done', 'outlast_attempt', 'outlast_step') AND NOT pg_has_role(c.relowner, 'USAGE') LIMIT 1), ''),
	coalesce((SELECT has_sequence_privilege(c.oid, 'USAGE') FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'S' AND c.relname = 'outlast_seq'), true)
	FROM (SELECT coalesce(nullif($1, ''), current_schema()::text, '') AS name) s LEFT JOIN pg_namespace n ON n.nspname = s.name`

// rights is what rightsQuery answers.
type rights struct {
	user, schema                  string
	exists, use, make, makeSchema bool
	missing                       []string
	owner                         string
	numbers                       bool
}

// privileges checks what the store does all the time, and the rights to make
// tables and to attach them: partitions of a day are tables.
func (d *doctor) privileges(ctx context.Context) error {
	var p rights
	err := d.conn.QueryRow(ctx, rightsQuery, d.schema).Scan(&p.user, &p.schema, &p.exists, &p.use, &p.make, &p.makeSchema, &p.missing, &p.owner, &p.numbers)
	if err != nil {
		return err
	}
	who := "user " + p.user + ", schema " + p.schema
	switch {
	case p.schema == "":
		d.Add("privileges", report.Fails, "user "+p.user+" has no schema", "name one in the URL: ?schema=NAME")
		return nil
	case !p.exists && p.makeSchema:
		d.Add("privileges", report.Fine, who+", which outlast migrate up creates", "")
		return nil
	case !p.exists:
		d.Add("privileges", report.Fails, who+" does not exist, and the user may not create it", fmt.Sprintf("CREATE SCHEMA %s AUTHORIZATION %s", quoted(p.schema), quoted(p.user)))
		return nil
	}
	if lacks, grants := p.lacks(); len(lacks) > 0 {
		d.Add("privileges", report.Fails, who+": "+strings.Join(lacks, "; "), strings.Join(grants, "; "))
		return nil
	}
	d.Add("privileges", report.Fine, who, "")
	return nil
}

// lacks is what is missing, and the statements that give it. A part in the owner
// gives all of it.
func (p *rights) lacks() (lacks, grants []string) {
	add := func(missing bool, what, grant string, names ...any) {
		if missing {
			lacks, grants = append(lacks, what), append(grants, fmt.Sprintf(grant, names...))
		}
	}
	schema, user := quoted(p.schema), quoted(p.user)
	add(!p.use || !p.make, "no right to create tables", "GRANT USAGE, CREATE ON SCHEMA %s TO %s", schema, user)
	add(len(p.missing) > 0, "missing "+strings.Join(p.missing[:min(3, len(p.missing))], ", "), "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s", schema, user)
	add(!p.numbers, "no right to outlast_seq, which orders tasks with keys", "GRANT USAGE ON SEQUENCE %s.outlast_seq TO %s", schema, user)
	add(p.owner != "", "not a member of "+p.owner+", which owns the tables, so tables for later days cannot be attached", "GRANT %s TO %s", quoted(p.owner), user)
	return lacks, grants
}
