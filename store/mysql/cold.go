package mysql

import "github.com/outlast-dev/outlast/store/internal/sqlstore"

// keptQuery is a statement of package sqlstore, and which argument each place takes.
type keptQuery struct {
	text   string
	places []int
}

// coldQueries are the statements of package sqlstore, and those that it is given.
var coldQueries = func() map[*sqlstore.Query]keptQuery {
	all := map[*sqlstore.Query]keptQuery{}
	for _, q := range sqlstore.Queries() {
		text, places := q.MySQL()
		all[q] = keptQuery{text, places}
	}
	return all
}()

// coldQuery is a statement of this package for package sqlstore.
func coldQuery(text string) *sqlstore.Query {
	q := &sqlstore.Query{Text: text}
	text, places := q.MySQL()
	coldQueries[q] = keptQuery{text, places}
	return q
}

// coldSession implements [sqlstore.Session].
type coldSession struct{ *session }

// Run implements [sqlstore.Session].
func (c coldSession) Run(calls ...*sqlstore.Call) error {
	for _, one := range calls {
		if err := c.run(one); err != nil {
			return err
		}
	}
	return nil
}

func (c coldSession) run(one *sqlstore.Call) (err error) {
	text, args := one.Query.Text, one.Args
	if q, kept := coldQueries[one.Query]; kept {
		text, args = q.text, make([]any, len(q.places))
		for i, place := range q.places {
			args[i] = one.Args[place]
		}
	}
	if one.Scan != nil {
		return c.each(text, rowScanner(one.Scan), args...)
	}
	one.Changed, err = c.changed(text, args...)
	if one.Query.Fresh && numbered(err) == duplicateKey {
		return nil
	}
	return err
}
