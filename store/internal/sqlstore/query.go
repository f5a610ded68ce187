package sqlstore

import (
	"regexp"
	"strconv"
	"strings"
)

// Query is a statement of this package, in the words of PostgreSQL: $1::text is the
// first argument, and its type. Beside that it uses what all databases have in common,
// but for what [Query.SQLite] and [Query.MySQL] say.
type Query struct {
	Text string
	// Fresh says that a row which is there already is left alone, after a wait for the
	// transaction that has inserted it: no row has changed then.
	Fresh bool
}

// Made is a statement that is made for one call, in words of its database: question marks
// are its arguments, one after the other.
func Made(text string) *Query { return &Query{Text: text} }

// queries are all of this package.
var queries []*Query

// Queries are all statements of this package, for stores that keep them prepared.
func Queries() []*Query { return queries }

const onConflict = ` ON CONFLICT DO NOTHING`

func query(text string) *Query {
	q := &Query{Text: text, Fresh: strings.HasSuffix(text, onConflict)}
	queries = append(queries, q)
	return q
}

const (
	forUpdate = ` FOR UPDATE`
	forShare  = ` FOR SHARE`
)

var (
	argument = regexp.MustCompile(`\$([0-9]+)::[a-z]+`)
	quoted   = regexp.MustCompile(`"[a-z]+"`)
	// renamed are columns, in quotes, which have other names where those are words of
	// the language.
	renamed = map[string]string{`"before"`: "body_before", `"after"`: "body_after", `"release"`: "release_name", `"count"`: "total", `"key"`: "line"}
	// laneMark helps where tables are distributed.
	laneMark = regexp.MustCompile(`\s*/\*[^*]*\*/`)
)

// Renamed is a text of PostgreSQL's with the names of columns that MySQL has.
func Renamed(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(name string) string { return renamed[name] })
}

// SQLite is the statement for SQLite, where a transaction that writes is alone.
func (q *Query) SQLite() string {
	text := strings.TrimSuffix(laneMark.ReplaceAllString(q.Text, ""), forUpdate)
	return argument.ReplaceAllString(strings.TrimSuffix(text, forShare), "?$1")
}

// MySQL is the statement for MySQL and MariaDB, and the arguments that its question marks
// stand for, from 0. One that is Fresh fails if the row is there.
func (q *Query) MySQL() (text string, places []int) {
	text = strings.ReplaceAll(laneMark.ReplaceAllString(q.Text, ""), " AS bigint)", " AS SIGNED)")
	if shared, found := strings.CutSuffix(text, forShare); found {
		text = shared + " LOCK IN SHARE MODE" // which MariaDB knows too
	}
	for _, found := range argument.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(found[1]) // digits
		places = append(places, n-1)
	}
	return argument.ReplaceAllString(Renamed(strings.TrimSuffix(text, onConflict)), "?"), places
}
