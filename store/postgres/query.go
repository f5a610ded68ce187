package postgres

import (
	"encoding/hex"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
)

// query is a statement of this package. Tables are named without a schema;
// each store has texts of its own, with the schema.
type query struct {
	text  string
	index int
	// spread is what is run instead, one after the other, where Citus has
	// distributed the tables; each takes as many of the arguments as it
	// mentions, and the rows of the first are the answer. Nil: text.
	spread []string
}

// known are all queries that were made by newQuery, in the variables of this
// package.
var known []*query

func newQuery(text string, spread ...string) *query {
	q := &query{text: text, index: len(known), spread: spread}
	known = append(known, q)
	return q
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
		return " AND " + part[1] + " = " + laneOf(part[3])
	})
}

// laneOf is the lane of an id, its last two bytes, as an expression of which
// the planner makes a number.
func laneOf(id string) string {
	return "get_byte(uuid_send(" + id + "), 14) * 256 + get_byte(uuid_send(" + id + "), 15)"
}

// texts are the statements of all queries for one schema.
func texts(prefix string, spread bool) [][]statement {
	all := make([][]statement, len(known))
	for i, q := range known {
		switch {
		case !spread:
			all[i] = []statement{newStatement(unmarked(q.text), prefix)}
		case q.spread == nil:
			all[i] = []statement{newStatement(routed(q.text), prefix)}
		default:
			for _, text := range q.spread {
				all[i] = append(all[i], newStatement(routed(text), prefix))
			}
		}
	}
	return all
}

// nowMicro is the store's clock in µs: that of the database at the beginning
// of the transaction, moved by $1, which is 0 but in tests.
const nowMicro = `(SELECT ` + nowHere + `)`

// nowHere is the same where it changes rows of another machine: Citus puts the
// coordinator's time in its place, unless it is a subquery.
const nowHere = `(extract(epoch FROM now()) * 1000000)::bigint + $1::bigint`
