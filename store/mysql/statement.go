package mysql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store/internal/literal"
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

// ids calls run with a statement for each portion of the ids: it has their list in the
// place of "@ids".
func ids(all []task.ID, query string, run func(query string) error) error {
	before, after, _ := strings.Cut(query, "@ids")
	for portion := range slices.Chunk(all, chunk) {
		text := append(literal.AppendIDs([]byte(before), portion), after...)
		if err := run(string(text)); err != nil {
			return err
		}
	}
	return nil
}

// execIDs runs a statement over ids, after its other arguments.
func (s *session) execIDs(all []task.ID, query string, leading ...any) (changed int64, err error) {
	if len(all) == 0 {
		return 0, nil
	}
	if query, err = literal.In(query, leading); err != nil {
		return 0, err
	}
	err = ids(all, query, func(query string) error {
		n, err := s.changed(query)
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
	most    int    // how many rows there will be, about; 0 if that is not known
	text    strings.Builder
	row     []byte // used again for every row
	rows    int    // of the text
	flushed bool   // a statement has run
}

// duplicate makes the whole transaction start again when a row was there
// already after others were inserted.
func (i *insertion) duplicate(err error) error {
	if i.flushed && numbered(err) == duplicateKey {
		return errAgain
	}
	return err
}

func (i *insertion) add(values ...any) (err error) {
	if i.row, err = literal.AppendRow(i.row[:0], values); err != nil {
		return err
	}
	return i.addText(i.row)
}

// addText adds a row as [literal.AppendRow] writes it.
func (i *insertion) addText(row []byte) error {
	if len(row) > maxRow {
		return refusedError{"a row of " + strconv.Itoa(len(row)) + " bytes, as text of a statement, is too large"}
	}
	if i.rows == chunk || i.text.Len()+len(row) > maxStatement {
		if err := i.flush(); err != nil {
			return err
		}
	}
	if i.rows == 0 {
		i.text.Grow(min(len(i.head)+min(max(i.most, 1), chunk)*(len(row)+len(row)/8+1)+len(i.tail), 2*maxStatement))
		i.text.WriteString(i.head)
	} else {
		i.text.WriteByte(',')
	}
	i.text.Write(row)
	i.rows++
	i.most--
	return nil
}

func (i *insertion) flush() error {
	if i.rows == 0 {
		return nil
	}
	i.text.WriteString(i.tail)
	_, err := i.on.exec(i.text.String())
	i.text.Reset()
	i.rows, i.flushed = 0, i.flushed || err == nil
	return err
}

func sortIDs(all []task.ID) {
	slices.SortFunc(all, task.ID.Compare)
}
