package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// bySQL enqueues by the function of a schema, as a caller of any language does.
func (g *ground) bySQL(on interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}, schema, draft string) (id task.ID, existing bool, err error) {
	var text string
	err = on.QueryRow(g.Context(), `SELECT id::text, existing FROM `+schema+`.outlast_enqueue($1::text::json)`, draft).Scan(&text, &existing)
	if err == nil {
		id, err = task.ParseID(text)
	}
	return id, existing, err
}

// refusedAs fails unless an error of the database has the code and the words.
func refusedAs(t *testing.T, err error, code, words string) {
	t.Helper()
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || refused.Code != code || !strings.Contains(refused.Message, words) {
		t.Errorf("got %v, want %s %s", err, code, words)
	}
}

// connected is a connection of a role.
func connected(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// A role that may execute the function can enqueue, and nothing else: neither read nor write
// the tables, nor call the parts of the function.
func TestRoleThatOnlyEnqueues(t *testing.T) {
	r := newRoles(t)
	g := newGround(t, open(t, r.owner, postgres.WithSchema("work")), 2)
	r.do(`GRANT USAGE ON SCHEMA work TO USER`)
	user := connected(t, r.user)
	const draft = `{"type":"mail","queue":"q","key":"k","dedupe_key":"k"}`
	_, _, err := g.bySQL(user, "work", draft)
	refusedAs(t, err, "42501", "permission denied for function outlast_enqueue")
	r.do(`GRANT EXECUTE ON FUNCTION work.outlast_enqueue TO USER`)
	id, existing, err := g.bySQL(user, "work", draft)
	g.ok(err)
	again, known, err := g.bySQL(user, "work", draft)
	g.ok(err)
	if existing || !known || again != id {
		t.Errorf("%s %t, then %s %t", id, existing, again, known)
	}
	if found, err := g.s.Get(t.Context(), id); err != nil || found.State != task.Pending {
		t.Errorf("got %+v, %v", found, err)
	}
	for _, statement := range []string{
		`SELECT 1 FROM work.outlast_task`, `DELETE FROM work.outlast_task`, `SELECT 1 FROM work.outlast_dedupe`, `SELECT nextval('work.outlast_seq')`,
		`SELECT work.outlast_refuse('a', 'b', 'c')`, `SELECT work.outlast_pending('q', 1)`, `SELECT work.outlast_key('key', '"k"', '')`,
	} {
		_, err := user.Exec(t.Context(), statement)
		refusedAs(t, err, "42501", "permission denied")
	}
	r.do(`DO $$ BEGIN IF EXISTS (SELECT FROM pg_proc p WHERE p.proname LIKE 'outlast%' AND has_function_privilege('public', p.oid, 'EXECUTE')) THEN RAISE 'anybody may call a function'; END IF; END $$`)
}

// The function is found in its schema, whatever the name of that.
func TestEnqueueBySQLInAnySchema(t *testing.T) {
	url := servertest.Postgres(t)
	name := newSchemas(url).fresh()
	g := newGround(t, open(t, url, postgres.WithSchema(name)), 2)
	id, _, err := g.bySQL(connected(t, url), pgx.Identifier{name}.Sanitize(), `{"type":"mail","queue":"q","key":"k","dedupe_key":"k"}`)
	g.ok(err)
	if _, err := g.s.Get(t.Context(), id); err != nil {
		t.Error(err)
	}
}

// What a caller has in its own schemas, under names of Outlast and of PostgreSQL, means nothing.
func TestEnqueueFindsNothingOfItsCaller(t *testing.T) {
	r := newRoles(t)
	g := newGround(t, open(t, r.owner, postgres.WithSchema("work")), 2)
	r.do(`GRANT USAGE ON SCHEMA work TO USER; GRANT EXECUTE ON FUNCTION work.outlast_enqueue TO USER; CREATE SCHEMA evil AUTHORIZATION USER`)
	user := connected(t, r.user)
	_, err := user.Exec(t.Context(), `
CREATE TABLE evil.caught (what text);
CREATE TABLE evil.outlast_task (LIKE pg_class); CREATE TEMP TABLE outlast_queue (name text); CREATE TEMP TABLE outlast_lane (lane integer, queue text);
CREATE FUNCTION evil.caught(what text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO evil.caught VALUES (what || ' as ' || current_user); RETURN false; END $$;
CREATE FUNCTION evil.outlast_refuse(field text, message text, hint text, code text DEFAULT '') RETURNS void LANGUAGE sql AS $$ SELECT evil.caught('refuse') $$;
CREATE FUNCTION evil.outlast_name(field text, value text) RETURNS text LANGUAGE sql AS $$ SELECT evil.caught('name')::text $$;
CREATE FUNCTION evil.length(value text) RETURNS integer LANGUAGE sql AS $$ SELECT evil.caught('length')::integer $$;
CREATE FUNCTION evil.differ(a text, b text) RETURNS boolean LANGUAGE sql AS $$ SELECT evil.caught('operator') $$;
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.differ);
CREATE OPERATOR evil.!~ (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.differ);
SET search_path = evil, pg_temp, pg_catalog`)
	g.ok(err)
	id, _, err := g.bySQL(user, "work", `{"type":"mail","queue":"q","key":"k","dedupe_key":"k","delay":"1h","metadata":{"a":"b"},"target":{"url":"https://example.com"}}`)
	g.ok(err)
	if found, err := g.s.Get(t.Context(), id); err != nil || found.Queue != "q" {
		t.Errorf("got %+v, %v", found, err)
	}
	_, _, err = g.bySQL(user, "work", `{"type":"a b"}`)
	refusedAs(t, err, "22023", "type: ")
	var caught, path string
	g.ok(user.QueryRow(t.Context(), `SELECT coalesce((SELECT pg_catalog.string_agg(what, ', ') FROM evil.caught), ''), pg_catalog.current_setting('search_path')`).Scan(&caught, &path))
	if caught != "" || path != "evil, pg_temp, pg_catalog" {
		t.Errorf("the caller was called: %s; its search path is %s", caught, path)
	}
}

// The backslashes of the function are its own, also where those of the session are escapes.
func TestEnqueueBySQLWithEscapes(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url), 2)
	conn := connected(t, url)
	_, err := conn.Exec(t.Context(), `SET standard_conforming_strings = off`)
	g.ok(err)
	_, _, err = g.bySQL(conn, "public", `{"type":"mail","queue":"q","key":"k","delay":"1.5s","payload":{"a":"b"},"target":{"url":"https://example.com/"}}`)
	g.ok(err)
	_, _, err = g.bySQL(conn, "public", `{"type":"mail","queue":"q","delay":"1x5s"}`)
	refusedAs(t, err, "22023", "delay: ")
}

// The transaction of a caller notifies nobody, which would have its commit wait for others'.
func TestEnqueueBySQLNotifiesNobody(t *testing.T) {
	url := servertest.Postgres(t)
	s := open(t, url)
	g := newGround(t, s, 2)
	conn, listener := connected(t, url), connected(t, url)
	_, err := listener.Exec(t.Context(), `LISTEN `+s.Channel()+`; LISTEN marker`)
	g.ok(err)
	tx, err := conn.Begin(t.Context())
	g.ok(err)
	_, _, err = g.bySQL(tx, "public", `{"type":"mail","queue":"q"}`)
	g.ok(err)
	g.ok(tx.Commit(t.Context()))
	_, err = conn.Exec(t.Context(), `NOTIFY marker`)
	g.ok(err)
	if heard, err := listener.WaitForNotification(t.Context()); err != nil || heard.Channel != "marker" {
		t.Errorf("heard %+v, %v", heard, err)
	}
}

// A snapshot does not show what has ended since: what would hang on that is refused.
func TestEnqueueBySQLInASnapshot(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url), 2)
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		begin := func() pgx.Tx {
			tx, err := connected(t, url).BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
			g.ok(err)
			return tx
		}
		tx := begin()
		_, _, err := g.bySQL(tx, "public", `{"type":"mail","queue":"q","key":"k"}`)
		g.ok(err)
		id, _, err := g.bySQL(tx, "public", `{"type":"mail","queue":"q","dedupe_key":"`+string(level)+`"}`)
		g.ok(err)
		if again, existing, err := g.bySQL(tx, "public", `{"type":"mail","queue":"q","dedupe_key":"`+string(level)+`"}`); err != nil || !existing || again != id {
			t.Errorf("%s: the same twice: %s, %t, %v", level, again, existing, err)
		}
		g.ok(tx.Commit(t.Context()))
		tx = begin()
		_, _, err = g.bySQL(tx, "public", `{"type":"mail","queue":"q","id":"019a9f2e-5c00-7abc-8def-0123456789ab"}`)
		refusedAs(t, err, "0A000", "id: ")
		g.ok(tx.Rollback(t.Context()))

		_, err = connected(t, url).Exec(t.Context(), `UPDATE outlast_dedupe SET expires = 1; DELETE FROM outlast_task`)
		g.ok(err)
		tx = begin()
		_, _, err = g.bySQL(tx, "public", `{"type":"mail","queue":"q","dedupe_key":"`+string(level)+`"}`)
		refusedAs(t, err, "0A000", "dedupe_key: ")
		g.ok(tx.Rollback(t.Context()))
	}
}

// The id of a task that has ended is known, and so is a dedupe key whose window lasts. After
// its window the key of a task that lives is still its own.
func TestEnqueueBySQLKnowsWhatHasEnded(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url), 2)
	conn := connected(t, url)
	for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeDead} {
		named := g.task().ID.String()
		draft := func(payload string) string {
			return `{"type":"mail","queue":"q","payload":` + payload + `,"id":"` + named + `"}`
		}
		first, _, err := g.bySQL(conn, "public", draft("1"))
		g.ok(err)
		g.settle(g.claim(first).Tasks, outcome)
		if id, existing, err := g.bySQL(conn, "public", draft("1")); err != nil || !existing || id != first {
			t.Errorf("%s: %s, %t, %v, want %s", outcome, id, existing, err, first)
		}
		_, _, err = g.bySQL(conn, "public", draft("2"))
		refusedAs(t, err, "23505", "id: ")
	}
	const keyed = `{"type":"mail","queue":"q","dedupe_key":"k"}`
	first, _, err := g.bySQL(conn, "public", keyed)
	g.ok(err)
	_, err = conn.Exec(t.Context(), `UPDATE outlast_dedupe SET expires = 1`)
	g.ok(err)
	if id, existing, err := g.bySQL(conn, "public", keyed); err != nil || !existing || id != first {
		t.Errorf("while its task lives: %s, %t, %v", id, existing, err)
	}
	g.settle(g.claim(first).Tasks, task.OutcomeSucceeded)
	id, existing, err := g.bySQL(conn, "public", keyed)
	if err != nil || existing || id == first {
		t.Errorf("after the window: %s, %t, %v", id, existing, err)
	}
	if again, existing, err := g.bySQL(conn, "public", keyed); err != nil || !existing || again != id {
		t.Errorf("in the new window: %s, %t, %v", again, existing, err)
	}
	g.sound()
}
