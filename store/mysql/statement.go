package mysql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

const (
	// maxStatement bounds the text of a statement: a server takes 16 MiB
	// (MariaDB) or 64 MiB (MySQL) unless it is set lower.
	maxStatement = 4 << 20
	// maxRow bounds what one row takes of a statement.
	maxRow = 2*maxStatement - 64<<10
	// chunk is how many rows a statement names at most: those of one batch of
	// the engine.
	chunk = 1000
)

// marks is the text of a list of n arguments.
func marks(n int) string { return strings.Repeat("?,", n-1) + "?" }

// list puts a list of n arguments in the place of a name of a statement.
func list(query, name string, n int) string { return strings.Replace(query, name, marks(n), 1) }

// ids calls run with portions of the ids, each as a list of arguments and the
// text of that list. A statement over them has "@ids" in its place.
func ids(all []task.ID, query string, run func(query string, args []any) error) error {
	for portion := range slices.Chunk(all, chunk) {
		args := make([]any, len(portion))
		for i := range portion {
			args[i] = portion[i][:]
		}
		if err := run(list(query, "@ids", len(args)), args); err != nil {
			return err
		}
	}
	return nil
}

// execIDs runs a statement over ids, after its other arguments.
func (s *session) execIDs(all []task.ID, query string, leading ...any) (changed int64, err error) {
	err = ids(all, query, func(query string, args []any) error {
		n, err := s.changed(query, append(slices.Clone(leading), args...)...)
		changed += n
		return err
	})
	return changed, err
}

// insertion collects the rows of an INSERT and runs it whenever its text
// would be too long or its rows too many.
type insertion struct {
	on      *session
	head    string // INSERT INTO t (columns) VALUES
	tail    string // ON DUPLICATE KEY UPDATE ..., or ""
	columns int
	args    []any
	bytes   int
	flushed bool // a statement has run
}

// duplicate makes the whole transaction start again when a row was there
// already after others were inserted.
func (i *insertion) duplicate(err error) error {
	if i.flushed && numbered(err) == duplicateKey {
		return errAgain
	}
	return err
}

func (i *insertion) add(row ...any) error {
	size := 0
	for _, value := range row {
		size += sizeOf(value)
	}
	if size > maxRow {
		return refusedError{"a row of " + strconv.Itoa(size) + " bytes, as text of a statement, is too large"}
	}
	if len(i.args) > 0 && (i.bytes+size > maxStatement || len(i.args) >= chunk*i.columns) {
		if err := i.flush(); err != nil {
			return err
		}
	}
	i.args = append(i.args, row...)
	i.bytes += size
	return nil
}

func (i *insertion) flush() error {
	if len(i.args) == 0 {
		return nil
	}
	_, err := i.on.exec(i.text(len(i.args)/i.columns), i.args...)
	i.args, i.bytes, i.flushed = nil, 0, i.flushed || err == nil
	return err
}

func (i *insertion) text(rows int) string {
	row := "(" + marks(i.columns) + "),"
	return i.head + strings.TrimSuffix(strings.Repeat(row, rows), ",") + i.tail
}

// asBytes turns texts and ids into bytes, which no server converts from one
// character set to another.
func asBytes(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			out[i] = []byte(v)
		case task.ID:
			out[i] = v[:]
		default:
			out[i] = arg
		}
	}
	return out
}

// sizeOf is about how much of a statement a value takes, if a driver puts it
// into the text, where every byte may need an escape.
func sizeOf(value any) int {
	switch v := value.(type) {
	case []byte:
		return 2*len(v) + 12
	case string:
		return 2*len(v) + 12
	}
	return 21
}

func sortIDs(all []task.ID) {
	slices.SortFunc(all, func(a, b task.ID) int { return strings.Compare(string(a[:]), string(b[:])) })
}
