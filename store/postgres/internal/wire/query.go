// Package wire is how statements reach PostgreSQL: their texts, in the schema of a store;
// arguments and rows in the binary format of the protocol; calls that go together in one
// round trip; codes of errors.
package wire

import (
	"encoding/hex"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
)

// Query is a statement. Tables are named without a schema; each store has texts of its
// own, with the schema.
type Query struct {
	text  string
	index int
	// spread is what is run instead, one after the other, where Citus has
	// distributed the tables; each takes as many of the arguments as it
	// mentions, and the rows of the first are the answer. Nil: text.
	spread []string
}

// known are all queries that were made by NewQuery, in variables of packages.
var known []*Query

// NewQuery makes a statement, and what is run where the tables are distributed if that is
// another.
func NewQuery(text string, spread ...string) *Query {
	q := &Query{text: text, index: len(known), spread: spread}
	known = append(known, q)
	return q
}

// Plant puts something else in the place of a part of all statements that have it, and
// returns how many have: for tests, before any store is opened.
func Plant(part, instead string) (places int) {
	for _, q := range known {
		if text := unmarked(q.text); strings.Contains(text, part) {
			q.text = strings.ReplaceAll(text, part, instead)
			places++
		}
	}
	return places
}

// statement is a query with its schema, its name as a prepared statement,
// which differs wherever the text does, and how many arguments it takes.
type statement struct {
	text, name string
	params     int
}

func newStatement(text, prefix string) statement {
	params := paramsOf(text)                                               // a schema may be named $1
	text = strings.ReplaceAll(text, "'outlast_seq'", "'"+sequenceMark+"'") // a name in a string is quoted twice
	text = strings.ReplaceAll(text, "outlast_", prefix+"outlast_")
	text = strings.ReplaceAll(text, sequenceMark, strings.ReplaceAll(prefix, "'", "''")+"outlast_seq")
	sum := fnv.New128a()
	_, _ = sum.Write([]byte(text)) // never fails
	return statement{text: text, name: "outlast_" + hex.EncodeToString(sum.Sum(nil)), params: params}
}

const sequenceMark = "\x00"

var paramMark = regexp.MustCompile(`\$([0-9]+)`)

func paramsOf(text string) (most int) {
	for _, found := range paramMark.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(found[1]) // digits
		most = max(most, n)
	}
	return most
}

// laneMark stands in a statement where rows of one lane are meant:
//
//	/*t.lane of $1::uuid*/                 the lane of an id
//	/*t.lane is ($1::integer[])[1]*/       a lane
//
// Without Citus it is nothing: ids are unique, and their lane is a part of
// them. With it, it is the condition by which Citus finds the machine.
var laneMark = regexp.MustCompile(`\s*/\*((?:\w+\.)?lane) (of|is) (.+?)\*/`)

func unmarked(text string) string { return laneMark.ReplaceAllString(text, "") }

func routed(text string) string {
	return laneMark.ReplaceAllStringFunc(text, func(mark string) string {
		part := laneMark.FindStringSubmatch(mark)
		if part[2] == "is" {
			return " AND " + part[1] + " = " + part[3]
		}
		return " AND " + part[1] + " = " + LaneOf(part[3])
	})
}

// LaneOf is the lane of an id, its last two bytes, as an expression of which
// the planner makes a number.
func LaneOf(id string) string {
	return "get_byte(uuid_send(" + id + "), 14) * 256 + get_byte(uuid_send(" + id + "), 15)"
}

// Book has the texts of all queries for one schema.
type Book struct {
	prefix string // of tables
	spread bool
	texts  [][]statement
}

// NewBook makes the texts for a schema, which is "" or quoted, with a point.
func NewBook(prefix string, spread bool) *Book {
	b := &Book{prefix, spread, make([][]statement, len(known))}
	for i, q := range known {
		switch {
		case !spread:
			b.texts[i] = []statement{newStatement(unmarked(q.text), prefix)}
		case q.spread == nil:
			b.texts[i] = []statement{newStatement(routed(q.text), prefix)}
		default:
			for _, text := range q.spread {
				b.texts[i] = append(b.texts[i], newStatement(routed(text), prefix))
			}
		}
	}
	return b
}

// Of is the text of a query, the first if it has several.
func (b *Book) Of(q *Query) string { return b.texts[q.index][0].text }

// Here is a statement that is not kept, with the schema.
func (b *Book) Here(text string) string { return newStatement(text, b.prefix).text }

// Numbered is a statement that is not kept, whose arguments are question marks.
func (b *Book) Numbered(text string) string {
	var out strings.Builder
	n := 0
	for part := range strings.SplitSeq(text, "?") {
		if n > 0 {
			out.WriteString("$" + strconv.Itoa(n))
		}
		out.WriteString(part)
		n++
	}
	if b.spread {
		return b.Here(routed(out.String()))
	}
	return b.Here(unmarked(out.String()))
}

// NowMicro is the store's clock in µs: that of the database at the beginning
// of the transaction, moved by $1, which is 0 but in tests.
const NowMicro = `(SELECT ` + NowHere + `)`

// NowHere is the same where it changes rows of another machine: Citus puts the
// coordinator's time in its place, unless it is a subquery.
const NowHere = `(extract(epoch FROM now()) * 1000000)::bigint + $1::bigint`
