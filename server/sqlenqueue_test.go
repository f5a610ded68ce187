package server_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	mysqlstore "github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// sqlBase is a database whose tasks come over HTTP and by SQL.
type sqlBase struct {
	*api
	name    string
	address string
	store   store.Backend
	db      *sql.DB
}

// refusedBySQL is what a database says of a task that it refuses.
type refusedBySQL struct{ code, message, field, hint string }

func (r *refusedBySQL) Error() string {
	return r.code + ": " + r.message + " [" + r.field + "] (" + r.hint + ")"
}

// eachSQL runs a test on each kind of database, with a server on it.
func eachSQL(t *testing.T, test func(b *sqlBase), handlers ...func(*outlast.Client)) {
	eachBase(t, func(b *sqlBase) {
		b.api = startOn(b.t, b.store, handlers...)
		test(b)
	})
}

// eachBase is eachSQL without a server.
func eachBase(t *testing.T, test func(b *sqlBase)) {
	t.Run("postgres", func(t *testing.T) {
		b := &sqlBase{api: &api{t: t}, name: "postgres", address: postgresBases.Postgres(t)}
		var err error
		b.store, err = postgres.OpenURL(t.Context(), b.address)
		must(t, err)
		b.db = openSQL(t, "pgx", b.address)
		test(b)
	})
	t.Run("mariadb", func(t *testing.T) {
		b := &sqlBase{api: &api{t: t}, name: "mariadb", address: mariadbBases.MariaDB(t)}
		b.db = openSQL(t, "mysql", b.address)
		s, err := mysqlstore.Open(t.Context(), b.db)
		must(t, err)
		b.store = s
		test(b)
	})
}

// Databases with the tables of a store and nothing in them.
var (
	postgresBases = servertest.Shelf{Fill: func(t testing.TB, address string) {
		s, err := postgres.OpenURL(t.Context(), address)
		must(t, err)
		must(t, s.Close())
	}}
	mariadbBases = servertest.Shelf{Fill: func(t testing.TB, address string) {
		db, err := sql.Open("mysql", address)
		must(t, err)
		defer db.Close()
		s, err := mysqlstore.Open(t.Context(), db)
		must(t, err)
		must(t, s.Close())
	}}
)

func openSQL(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// try enqueues a draft as it is, or as an error of the database. It begins a transaction where
// none is given and one is needed.
func (b *sqlBase) try(on querier, draft string, payload []byte) (id task.ID, existing bool, err error) {
	if b.name == "mariadb" && on == querier(b.db) {
		tx, err := b.db.BeginTx(b.t.Context(), nil)
		if err != nil {
			return id, false, err
		}
		if id, existing, err = b.try(tx, draft, payload); err != nil {
			return id, false, errors.Join(err, tx.Rollback())
		}
		return id, existing, tx.Commit()
	}
	statement := `SELECT id::text, existing FROM outlast_enqueue($1::text::json, $2)`
	if b.name == "mariadb" {
		statement = `CALL outlast_enqueue(?, ?)`
		if payload == nil {
			draft, payload = apart(draft)
		}
	}
	rows, err := on.QueryContext(b.t.Context(), statement, draft, payload)
	if err == nil {
		defer rows.Close()
		var text string
		if rows.Next() {
			err = rows.Scan(&text, &existing)
			id, _ = task.ParseID(text)
		}
		err = errors.Join(err, rows.Err())
	}
	return id, existing, asRefused(err)
}

// apart takes the payload out of a draft.
func apart(draft string) (string, []byte) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(draft), &fields) != nil || fields["payload"] == nil {
		return draft, nil
	}
	payload := fields["payload"]
	delete(fields, "payload")
	rest, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(rest), payload
}

// asRefused is an error of either database in the form of PostgreSQL.
func asRefused(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &refusedBySQL{refused.Code, refused.Message, refused.Detail, refused.Hint}
	}
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok {
		code := string(refused.SQLState[:])
		switch {
		case code == "45000":
			code = "22023"
		case refused.Number == 1062:
			code = "23505"
		case refused.Number == 1205:
			code = "55P03"
		}
		message, hint, _ := strings.Cut(refused.Message, " (")
		field, _, _ := strings.Cut(message, ": ")
		return &refusedBySQL{code, message, field, hint}
	}
	return err
}

// enqueue is try for a draft that is taken. Its payload goes apart from it.
func (b *sqlBase) enqueue(on querier, draft string) (id task.ID, existing bool) {
	b.t.Helper()
	id, existing, err := b.try(on, draft, nil)
	if err != nil {
		b.t.Fatalf("%s: %v", draft, err)
	}
	return id, existing
}

func (b *sqlBase) begin() *sql.Tx {
	b.t.Helper()
	tx, err := b.db.BeginTx(b.t.Context(), nil)
	must(b.t, err)
	return tx
}

func (b *sqlBase) stored(id task.ID) *task.Task {
	b.t.Helper()
	found, err := b.store.Get(b.t.Context(), id)
	must(b.t, err)
	return found
}

// merged is a draft with other fields in place of, or beside, its own.
func merged(draft, with string) string {
	var fields map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal([]byte(draft), &fields), json.Unmarshal([]byte(with), &fields)); err != nil {
		panic(err)
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		members = append(members, fmt.Sprintf("%q:%s", name, fields[name])) // Marshal would compact them
	}
	return "{" + strings.Join(members, ",") + "}"
}

// sqlDrafts are taken by HTTP and by SQL.
var sqlDrafts = []string{
	`{"type":"email"}`,
	`{"type":"email","queue":"","policy":"","trace_parent":"","key":null,"retry":null,"alert":null,"fallback":null}`,
	`{"type":"email","payload":{"b" : [1.0, 1e3,"\u00e9\\u0000é"], "a":12345678901234567890.10}}`,
	`{"type":"email","payload":null}`,
	`{"type":"email","payload":"text"}`,
	`{"type":"a.b_c:d-e","queue":"default","priority":0,"key":"customer \"17\" é","share_key":"☃","max_attempts":1}`,
	`{"type":"email","priority":9,"policy":"payment","max_attempts":1000000,"timeout":"1ms"}`,
	`{"type":"email","key":" ","share_key":"  ","metadata":{" ":" ","a":"1","a ":"2"}}`,
	`{"type":"email","policy":"easyjob(30s, 2, 5)","timeout":"24h0m"}`,
	`{"type":"email","delay":"1h2m3.5s4ms5us6µs7ns"}`,
	`{"type":"email","delay":"+87600h"}`,
	`{"type":"email","delay":"0"}`,
	`{"type":"email","run_at":"2030-01-02T03:04:05+01:00"}`,
	`{"type":"email","run_at":"2030-01-02T03:04:05.123456Z","deadline":"2030-01-02T03:04:06.0000001Z"}`,
	`{"type":"email","run_at":"2020-01-02T03:04:05.12Z"}`,
	`{"type":"email","metadata":{"region":"eu","é":"\ud83d\ude00"}}`,
	`{"type":"email","metadata":{}}`,
	`{"type":"email","trace_parent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`,
	`{"type":"email","trace_parent":"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what"}`,
	`{"target":{"url":"https://Example.com/x?y=1"}}`,
	`{"type":"example.com","target":{"url":"http://example.com:80"}}`,
	`{"target":{"url":"http://example.com:443/","method":"PUT","headers":{"X-b":"2","X-A":"1 é"},"success":"status == 200"}}`,
	`{"type":"group:senders","target":{"group":"senders","path":"/send"}}`,
	`{"type":"sms","target":{"group":"senders"}}`,
}

// A task that comes by SQL is the one that comes over HTTP: each is found in place of the
// other, by its dedupe key and by its id.
func TestSQLTasksAreThoseOfHTTP(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		b.call("POST", "/v1/queues/default/pause", "").is(200)
		for i, draft := range sqlDrafts {
			first, second := fmt.Sprintf(`{"dedupe_key":"h%d é"}`, i), fmt.Sprintf(`{"dedupe_key":"s%d","dedupe_window":"1h"}`, i)
			byHTTP := b.call("POST", "/v1/tasks", merged(draft, first)).is(201).id()
			id, existing := b.enqueue(b.db, merged(draft, first))
			if !existing || id.String() != byHTTP {
				b.t.Errorf("%s: by SQL it is %s, %t, and not %s of HTTP", draft, id, existing, byHTTP)
			}
			id, existing = b.enqueue(b.db, merged(draft, second))
			if again := b.call("POST", "/v1/tasks", merged(draft, second)).is(200).id(); existing || id.String() != again {
				b.t.Errorf("%s: over HTTP it is %s, and not %s of SQL", draft, again, id)
			}
			b.same(draft, b.stored(id), b.call("POST", "/v1/tasks", merged(draft, strings.Replace(second, "s", "t", 1))).is(201).id())

			named := fmt.Sprintf(`{"id":%q}`, outlast.NewID())
			byHTTP = b.call("POST", "/v1/tasks", merged(draft, named)).is(201).id()
			if id, existing = b.enqueue(b.db, merged(draft, named)); !existing || id.String() != byHTTP {
				b.t.Errorf("%s: of one id it is %s, %t by SQL, and %s of HTTP", draft, id, existing, byHTTP)
			}
			_, _, err := b.try(b.db, merged(draft, merged(named, `{"type":"another"}`)), nil)
			b.isRefused(err, draft, "23505", "id: the id belongs to a task of other content")
		}
	})
}

// same wants what is kept of a task to be that of another one, of the same draft.
func (b *sqlBase) same(draft string, bySQL *task.Task, other string) {
	b.t.Helper()
	id, err := task.ParseID(other)
	must(b.t, err)
	byHTTP := b.stored(id)
	bySQL.Spec.DedupeKey = byHTTP.Spec.DedupeKey
	show := func(t *task.Task) string {
		spec, err := json.Marshal(t.Spec)
		must(b.t, err)
		wait := ""
		if !strings.Contains(draft, "run_at") {
			wait = t.RunAt.Sub(t.CreatedAt).String()
		} else if t.RunAt.After(time.Now()) {
			wait = t.RunAt.String()
		}
		return fmt.Sprintf("%s %s %d %s %s %s %s %q %q %q %d %s", t.Queue, t.Type, t.Priority, t.Key, t.Target, t.Policy, wait, t.Payload, spec, t.State, t.Attempt, t.UpdatedAt.Sub(t.CreatedAt))
	}
	if a, b2 := show(bySQL), show(byHTTP); a != b2 {
		b.t.Errorf("%s is\n%s by SQL, and\n%s by HTTP", draft, a, b2)
	}
}

// isRefused wants a refusal with a code and a message, the field of the message apart.
func (b *sqlBase) isRefused(err error, draft, code, message string) {
	b.t.Helper()
	refused, ok := errors.AsType[*refusedBySQL](err)
	field, _, _ := strings.Cut(message, ": ")
	if b.name == "mariadb" && code == "54000" {
		code = "22023"
	}
	if !ok || refused.code != code || !strings.HasPrefix(refused.message, message) || refused.field != field || refused.hint == "" {
		b.t.Errorf("%s: got %v, want %s %s", draft, err, code, message)
	}
}

// sqlRefusals are refused by HTTP and by SQL with one message.
var sqlRefusals = []string{
	`{}`, `{"type":""}`, `{"type":"a b"}`, `{"type":"é"}`, `{"type":"a","queue":"none"}`, `{"type":"a","queue":"outlast.alerts"}`, `{"type":7}`, `{"type":["a"]}`,
	`{"type":" "}`, `{"type":"a "}`, `{"type":"a","queue":" "}`, `{"type":"a","trace_parent":" "}`, `{"type ":"a"}`, `{"target":{"url":"https://example.com","method":"POST "}}`,
	`{"type":"a","kye":"k"}`, `{"type":"a","type":"a"}`,
	`{"type":"a","priority":10}`, `{"type":"a","priority":-1}`, `{"type":"a","priority":1.5}`, `{"type":"a","priority":"5"}`, `{"type":"a","priority":1e1000000}`,
	`{"type":"a","max_attempts":0}`, `{"type":"a","max_attempts":1000001}`,
	`{"type":"a","key":""}`, `{"type":"a","key":"a\nb"}`, `{"type":"a","key":"\u0085"}`, `{"type":"a","share_key":""}`, `{"type":"a","dedupe_key":""}`, `{"type":"a","dedupe_key":1}`,
	`{"type":"a","dedupe_window":"1h"}`, `{"type":"a","dedupe_key":"k","dedupe_window":"0s"}`, `{"type":"a","dedupe_key":"k","dedupe_window":"8761h0m0s"}`,
	`{"type":"a","delay":"-1s"}`, `{"type":"a","delay":"87600h0m1s"}`, `{"type":"a","delay":"1"}`, `{"type":"a","delay":"1 s"}`, `{"type":"a","delay":""}`, `{"type":"a","delay":"."}`, `{"type":"a","delay":5}`,
	`{"type":"a","delay":"9999999999h"}`,
	`{"type":"a","delay":"1s","run_at":"2030-01-02T03:04:05Z"}`, `{"type":"a","run_at":"1999-01-02T03:04:05Z"}`, `{"type":"a","run_at":"2130-01-02T03:04:05Z"}`,
	`{"type":"a","run_at":"2030-02-30T03:04:05Z"}`, `{"type":"a","run_at":"2030-01-02T24:00:00Z"}`, `{"type":"a","run_at":"2030-01-02 03:04:05Z"}`, `{"type":"a","run_at":"now"}`, `{"type":"a","run_at":"2030-01-02T03:04:05"}`,
	`{"type":"a","deadline":"2020-01-02T03:04:05Z"}`, `{"type":"a","delay":"1h","deadline":"2020-01-02T03:04:05Z"}`, `{"type":"a","run_at":"2030-01-02T03:04:05Z","deadline":"2030-01-02T03:04:05Z"}`,
	`{"type":"a","ttl":"0s"}`, `{"type":"a","ttl":"-1s"}`, `{"type":"a","ttl":"1h","delay":"1h"}`, `{"type":"a","ttl":"175201h0m0s"}`, `{"type":"a","ttl":"1h","deadline":"2030-01-02T03:04:05Z"}`,
	`{"type":"a","timeout":"0s"}`, `{"type":"a","timeout":"1ns"}`, `{"type":"a","timeout":"24h0m1s"}`,
	`{"type":"a","metadata":{"k":"a\tb"}}`, `{"type":"a","metadata":{"k":1}}`, `{"type":"a","metadata":{"k":null}}`, `{"type":"a","metadata":{"k":"1","k":"2"}}`, `{"type":"a","metadata":[]}`,
	`{"type":"a","trace_parent":"00-0"}`, `{"type":"a","trace_parent":"00-00000000000000000000000000000000-00f067aa0ba902b7-01"}`, `{"type":"a","trace_parent":"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`,
	`{"type":"a","policy":"é"}`, `{"type":"a","id":"019a9f2e"}`, `{"type":"a","id":"019a9f2e-5c00-4abc-8def-0123456789ab"}`,
	`{"target":{"url":"https://example.com","method":"get"}}`, `{"target":{"urls":"https://example.com"}}`, `{"target":{"group":"a b"}}`, `{"target":[]}`,
}

// What SQL refuses, HTTP refuses, of the same field and in the same words.
func TestSQLRefusesAsHTTP(t *testing.T) {
	long := strings.Repeat("x", 600)
	more := []string{`{"type":"` + long + `"}`, `{"type":"a","key":"` + long + `"}`, `{"type":"a","policy":"` + long + `"}`, `{"type":"a","metadata":{"` + long + `":"1"}}`,
		`{"type":"a","metadata":{"a":"` + strings.Repeat(long, 30) + `"}}`, `{"target":{"url":"https://example.com/` + strings.Repeat(long, 5) + `"}}`}
	eachSQL(t, func(b *sqlBase) {
		for _, draft := range slices.Concat(sqlRefusals, more) {
			if b.name == "mariadb" && strings.Count(draft, `"type"`)+strings.Count(draft, `"k"`) > 1 && !strings.Contains(draft, "dedupe_key") {
				continue // of names that are given twice its JSON functions see one
			}
			var problem client.Error
			b.call("POST", "/v1/tasks", draft).is(400).into(&problem)
			_, _, err := b.try(b.db, draft, nil)
			want := make([]string, 0, 1)
			refused, ok := errors.AsType[*refusedBySQL](err)
			for _, field := range problem.Errors {
				want = append(want, field.Path+": "+field.Message)
			}
			if !ok || refused.code != "22023" || !slices.ContainsFunc(want, func(text string) bool { return strings.HasPrefix(text, refused.message) }) || refused.hint == "" {
				b.t.Errorf("%.200s: got\n%v, want one of\n%q", draft, err, want)
			}
		}
	})
}

// What SQL cannot judge as a whole it does not take, and says where it is taken.
func TestSQLSaysWhatItDoesNotTake(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		for field, value := range map[string]string{
			"group": `"019a9f2e-5c00-7abc-8def-0123456789ab"`, "retry": `{"preset":"payment"}`, "alert": `{"when":"dead"}`,
			"fallback": `{"type":"a"}`, "on_success": `{"type":"a"}`, "on_dead": `{"type":"a"}`,
		} {
			draft := fmt.Sprintf(`{"type":"a",%q:%s}`, field, value)
			_, _, err := b.try(b.db, draft, nil)
			b.isRefused(err, draft, "22023", field+": cannot be enqueued by SQL")
			if !strings.Contains(err.Error(), "POST /v1/tasks") {
				b.t.Errorf("%v names no other way", err)
			}
		}
		for _, url := range []string{"ftp://example.com", "example.com", "https://a:b@example.com", "https://[::1]/", "https://exämple.com", "https://example.com/#a", "https://example.com:0/", "https://", "https://example.com/a b"} {
			_, _, err := b.try(b.db, fmt.Sprintf(`{"target":{"url":%q}}`, url), nil)
			b.isRefused(err, url, "22023", "target.url: ")
		}
		for _, target := range []string{`{}`, `{"path":"/x"}`, `{"url":"https://example.com","path":"/x"}`, `{"url":"https://example.com","path":" "}`, `{"url":" "}`, `{"url":"https://example.com","group":"g"}`} {
			b.call("POST", "/v1/tasks", `{"type":"a","target":`+target+`}`).is(400)
			_, _, err := b.try(b.db, `{"type":"a","target":`+target+`}`, nil)
			b.isRefused(err, target, "22023", "target.url: ")
		}
	})
}

// A task whose policy, type or request no node knows is taken: what it waits for, or dies
// of, is told of the task, as if its policy had gone since.
func TestSQLTakesWhatNodesJudge(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		unknown, _ := b.enqueue(b.db, `{"type":"nobody","policy":"no-such-policy"}`)
		wrong, _ := b.enqueue(b.db, `{"target":{"url":"https://example.com/","headers":{"Host":"elsewhere"}},"max_attempts":1}`)
		b.until(func() bool { return b.call("GET", "/v1/tasks/"+wrong.String(), "").get("state") == `"dead"` })
		if dead := b.call("GET", "/v1/tasks/"+wrong.String(), ""); !strings.Contains(dead.get("last_error"), "Host") {
			b.t.Errorf("died of %s", dead.get("last_error"))
		}
		b.until(func() bool { return b.call("GET", "/v1/tasks/"+unknown.String(), "").get("waiting") != "" })
	})
}

// until waits for what comes by itself.
func (b *sqlBase) until(done func() bool) {
	b.t.Helper()
	for !done() {
		if b.t.Context().Err() != nil {
			b.t.Fatal("it did not come")
		}
		time.Sleep(5 * time.Millisecond) // sleep: between looks at what the server does by itself
	}
}

// A rollback, and the end of a connection, leave neither the task nor its dedupe key.
func TestSQLTransactionDecides(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		draft := func(payload int) string { return fmt.Sprintf(`{"type":"a","dedupe_key":"k","payload":%d}`, payload) }
		gone := func(id task.ID) {
			b.t.Helper()
			if _, err := b.store.Get(b.t.Context(), id); !errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
				b.t.Errorf("%s is there: %v", id, err)
			}
		}
		tx := b.begin()
		id, _ := b.enqueue(tx, draft(1))
		gone(id)
		must(b.t, tx.Rollback())
		gone(id)

		conn, err := b.db.Conn(b.t.Context())
		must(b.t, err)
		killed, err := conn.BeginTx(b.t.Context(), nil)
		must(b.t, err)
		id, _ = b.enqueue(killed, draft(2))
		b.kill(killed)
		if err := killed.Commit(); err == nil {
			b.t.Error("a connection that was ended commits")
		}
		_ = conn.Close()
		gone(id)

		tx = b.begin()
		id, existing := b.enqueue(tx, draft(3))
		if again, known := b.enqueue(tx, draft(3)); existing || !known || again != id {
			b.t.Errorf("the same twice in one transaction: %s %t, %s %t", id, existing, again, known)
		}
		must(b.t, tx.Commit())
		if b.stored(id).State != task.Pending {
			b.t.Errorf("committed: %+v", b.stored(id))
		}
		_, _, err = b.try(b.db, draft(4), nil)
		b.isRefused(err, draft(4), "23505", "dedupe_key: the dedupe key belongs to a task of other content")
	})
}

// kill ends the connection of a transaction.
func (b *sqlBase) kill(tx *sql.Tx) {
	b.t.Helper()
	var number int64
	if b.name == "mariadb" {
		must(b.t, tx.QueryRowContext(b.t.Context(), `SELECT CONNECTION_ID()`).Scan(&number))
		_, err := b.db.ExecContext(b.t.Context(), fmt.Sprintf(`KILL %d`, number))
		must(b.t, err)
		return
	}
	must(b.t, tx.QueryRowContext(b.t.Context(), `SELECT pg_backend_pid()`).Scan(&number))
	_, err := b.db.ExecContext(b.t.Context(), `SELECT pg_terminate_backend($1, 600000)`, number)
	must(b.t, err)
}

// Of two transactions with one dedupe key the second waits for the first: it finds the task
// of that, or makes its own if that is rolled back.
func TestSQLDedupeKeysWait(t *testing.T) {
	for _, commits := range []bool{true, false} {
		t.Run(fmt.Sprintf("commits=%t", commits), func(t *testing.T) { eachSQL(t, func(b *sqlBase) { b.secondWaits(commits) }) })
	}
}

func (b *sqlBase) secondWaits(commits bool) {
	const draft = `{"type":"a","dedupe_key":"k"}`
	type answer struct {
		id       task.ID
		existing bool
		err      error
	}
	first := b.begin()
	id, _ := b.enqueue(first, draft)
	second := make(chan answer, 1)
	go func() {
		for {
			var a answer
			a.id, a.existing, a.err = b.try(b.db, draft, nil)
			if refused, ok := errors.AsType[*refusedBySQL](a.err); !ok || refused.code != "55P03" { // after a second
				second <- a
				return
			}
		}
	}()
	b.until(func() bool { return b.waits() > 0 })
	if end := first.Rollback; commits {
		must(b.t, first.Commit())
	} else {
		must(b.t, end())
	}
	if a := <-second; a.err != nil || a.existing != commits || (a.id == id) != commits {
		b.t.Errorf("the first, %s, commits: %t; the second got %+v", id, commits, a)
	}
}

// waits counts who waits for a lock.
func (b *sqlBase) waits() (n int) {
	b.t.Helper()
	statement := `SELECT count(*) FROM pg_locks WHERE NOT granted`
	if b.name == "mariadb" {
		// information_schema.innodb_trx shows nothing new while it is read every 100 ms.
		statement = `SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'Innodb_row_lock_current_waits'`
	}
	must(b.t, b.db.QueryRowContext(b.t.Context(), statement).Scan(&n))
	return n
}

// Tasks of one key have the order in which they came, however they came.
func TestSQLKeepsTheOrderOfKeys(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		var last *task.Task
		for i := range 12 {
			draft := `{"type":"a","key":"k"}`
			var id task.ID
			if i%3 == 0 {
				var err error
				id, err = task.ParseID(b.call("POST", "/v1/tasks", draft).is(201).id())
				must(b.t, err)
			} else {
				id, _ = b.enqueue(b.db, draft)
			}
			next := b.stored(id)
			if last != nil && (next.Seq <= last.Seq || next.ID.Lane() != last.ID.Lane()) {
				b.t.Errorf("number %d is %d of lane %d, after %d of lane %d", i, next.Seq, next.ID.Lane(), last.Seq, last.ID.Lane())
			}
			last = next
		}
	})
}

// A task that was enqueued by SQL runs, although nobody tells of it.
func TestSQLTaskRuns(t *testing.T) {
	ran := make(chan string, 1)
	eachSQL(t, func(b *sqlBase) {
		tx := b.begin()
		b.enqueue(tx, `{"type":"sql.mail","payload":{"to" : "ada"}}`)
		must(b.t, tx.Commit())
		if got := <-ran; got != `{"to" : "ada"}` {
			b.t.Errorf("ran with %s", got)
		}
	}, func(c *outlast.Client) {
		outlast.Handle(c, "sql.mail", func(_ context.Context, payload json.RawMessage) error {
			ran <- string(payload)
			return nil
		})
	})
}

// A queue with a limit takes so many and no more; a repeat needs no place.
func TestSQLFindsAQueueFull(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		b.call("PUT", "/v1/queues/small", `{"max_pending":2}`)
		draft := func(n int) string { return fmt.Sprintf(`{"type":"a","queue":"small","dedupe_key":"%d"}`, n) }
		b.enqueue(b.db, draft(1))
		b.enqueue(b.db, draft(2))
		_, _, err := b.try(b.db, draft(3), nil)
		b.isRefused(err, draft(3), "53400", `queue: the queue "small" has its limit of 2 pending tasks`)
		if _, existing := b.enqueue(b.db, draft(2)); !existing {
			b.t.Error("a repeat is new")
		}
	})
}

// A type whose tasks have a queue has it by SQL too.
func TestSQLKnowsTheQueueOfAType(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		b.call("PUT", "/v1/queues/mail", `{}`)
		_, err := b.store.Change(b.t.Context(), store.Change{Put: []store.Object{{Kind: policy.KindType, Name: "email", Body: []byte(`{"queue":"mail"}`)}}})
		must(b.t, err)
		id, _ := b.enqueue(b.db, `{"type":"email"}`)
		if got := b.stored(id).Queue; got != "mail" {
			b.t.Errorf("it is in the queue %s", got)
		}
	})
}

// Payloads of any bytes, and drafts that were made to break something.
func TestSQLTakesHostileDrafts(t *testing.T) {
	eachSQL(t, func(b *sqlBase) {
		for _, payload := range [][]byte{{}, {0}, {0xff, 0xfe, '\\', '\''}, []byte(strings.Repeat("x", 1<<20))} {
			id, _, err := b.try(b.db, `{"type":"a"}`, payload)
			if err != nil || string(b.stored(id).Payload) != string(payload) {
				b.t.Errorf("%.20q: %v", payload, err)
			}
		}
		_, _, err := b.try(b.db, `{"type":"a"}`, make([]byte, 1<<20+1))
		b.isRefused(err, "1 MiB and a byte", "54000", "payload: the payload has 1048577 bytes; the limit is 1048576")
		_, _, err = b.try(b.db, `{"type":"a"}`, []byte(store.SealMark+"\x03x"))
		b.isRefused(err, "sealed", "22023", "payload: it is encrypted already")
		for _, draft := range []string{
			``, `null`, `[]`, `"x"`, `{`, `{"type":"a"}{}`, `{"type":"a","key":"\u0000"}`, `{"type":"a","key":"\ud800"}`, `{"\u0000":1}`, `{"type":"a","delay":"` + strings.Repeat("1h", 1000) + `"}`,
			`{"type":"a","priority":` + strings.Repeat("9", 1000) + `}`, `{"type":"a","run_at":"2030-01-02T03:04:05.` + strings.Repeat("9", 1000) + `Z"}`,
			`{"type":"` + `'; DROP TABLE outlast_task; --` + `"}`, `{"type":"a","queue":"' OR true --"}`, "{\"type\":\"a\xff\"}",
			`{"type":"a","key":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `}`,
		} {
			if id, _, err := b.try(b.db, draft, nil); err == nil {
				b.t.Errorf("%.80s: taken as %s", draft, id)
			}
		}
		if _, _, err := b.try(b.db, `{"type":"a"}`, nil); err != nil {
			b.t.Error(err)
		}
	})
}

// Where tasks are encrypted, SQL takes what was sealed with the keys, and nothing in the clear.
func TestSQLTakesSealedPayloadsOnly(t *testing.T) {
	eachBase(t, func(b *sqlBase) {
		ctx := context.WithoutCancel(b.t.Context())
		node, err := outlast.Open(ctx, b.store, outlast.WithEncryption(sealed.Keys{Secrets: map[string][]byte{"k1": []byte("a key of 32 bytes for this test.")}}))
		must(b.t, err)
		defer func() { must(b.t, errors.Join(node.Stop(ctx), b.store.Close())) }()
		ran := make(chan string, 1)
		outlast.Handle(node, "secret", func(_ context.Context, text string) error { ran <- text; return nil })
		must(b.t, node.Start(ctx))

		const draft = `{"type":"secret","payload":"in the clear"}`
		for draft, message := range map[string]string{
			draft: "payload: is not encrypted", `{"type":"secret"}`: "payload: is not encrypted",
		} {
			_, _, err := b.try(b.db, draft, nil)
			b.isRefused(err, draft, "22023", message)
		}

		tx := b.begin() // seals, and leaves nothing
		receipts, err := node.EnqueueTx(ctx, tx, outlast.Draft{Type: "secret", Payload: []byte(`"for ada"`)})
		must(b.t, err)
		id := receipts[0].Task.ID
		var payload []byte
		must(b.t, tx.QueryRowContext(ctx, `SELECT payload FROM outlast_task`).Scan(&payload))
		must(b.t, tx.Rollback())

		of := fmt.Sprintf(`{"type":"secret","id":%q}`, id)
		for with, message := range map[string]string{
			`{"dedupe_key":"k"}`: "dedupe_key: needs the keys", `{"target":{"url":"https://example.com","headers":{"A":"b"}}}`: "target.headers: are not encrypted",
		} {
			_, _, err := b.try(b.db, merged(of, with), payload)
			b.isRefused(err, with, "22023", message)
		}
		if made, existing, err := b.try(b.db, of, payload); err != nil || existing || made != id {
			b.t.Errorf("the sealed one: %s, %t, %v", made, existing, err)
		}
		if got := <-ran; got != "for ada" {
			b.t.Errorf("ran with %q", got)
		}
	})
}
