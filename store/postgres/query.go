package postgres

import (
	"encoding/hex"
	"hash/fnv"
	"strings"
)

// query is a statement of this package. Tables are named without a schema;
// each store has texts of its own, with the schema.
type query struct {
	text  string
	index int
}

// known are all queries that were made by newQuery, in the variables of this
// package.
var known []*query

func newQuery(text string) *query {
	q := &query{text: text, index: len(known)}
	known = append(known, q)
	return q
}

// statement is a query with its schema, and its name as a prepared statement,
// which differs wherever the text does.
type statement struct{ text, name string }

func newStatement(text, prefix string) statement {
	text = strings.ReplaceAll(text, "'outlast_seq'", "'"+sequenceMark+"'") // a name in a string is quoted twice
	text = strings.ReplaceAll(text, "outlast_", prefix+"outlast_")
	text = strings.ReplaceAll(text, sequenceMark, strings.ReplaceAll(prefix, "'", "''")+"outlast_seq")
	sum := fnv.New128a()
	_, _ = sum.Write([]byte(text)) // never fails
	return statement{text: text, name: "outlast_" + hex.EncodeToString(sum.Sum(nil))}
}

const sequenceMark = "\x00"

// statements are the texts of all queries for one schema.
func statements(prefix string) []statement {
	all := make([]statement, len(known))
	for i, q := range known {
		all[i] = newStatement(q.text, prefix)
	}
	return all
}

// nowMicro is the store's clock in µs: that of the database at the beginning
// of the transaction, moved by $1, which is 0 but in tests.
const nowMicro = `(SELECT (extract(epoch FROM now()) * 1000000)::bigint + $1::bigint)`
