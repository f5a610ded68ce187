package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

func TestNumbersOfErrorsAreRead(t *testing.T) {
	err := error(&driver.MySQLError{Number: deadlock, Message: "Deadlock found"})
	for _, wrapped := range []error{err, fmt.Errorf("claim: %w", err), fmt.Errorf("BEGIN: %w", fmt.Errorf("SELECT: %w", err)), errors.Join(errAgain, err)} {
		if got := numbered(wrapped); got != deadlock {
			t.Errorf("%v has the number %d", wrapped, got)
		}
	}
	for _, other := range []error{nil, errors.New("Error 1213"), driver.ErrInvalidConn, fmt.Errorf("%w", errAgain), refusedError{"Number"}} {
		if got := numbered(other); got != 0 {
			t.Errorf("%v has the number %d", other, got)
		}
	}
}

func TestAnAnswerIsNotRepeated(t *testing.T) {
	busy := busyKey(&driver.MySQLError{Number: lockTimeout})
	if passing(busy) || !errors.Is(busy, &task.Error{Code: task.CodeDedupeBusy}) {
		t.Errorf("%v would be repeated", busy)
	}
	if !passing(&driver.MySQLError{Number: lockTimeout}) || !passing(fmt.Errorf("%w", errAgain)) {
		t.Error("a wait for a lock is not repeated")
	}
}

func TestVersions(t *testing.T) {
	for version, ok := range map[string]bool{
		"8.0.36": true, "8.4.0-log": true, "9.1.0": true, "5.7.44": false, "8": false, "": false,
		"10.6.12-MariaDB": true, "10.11.6-MariaDB-0+deb12u1": true, "11.4.2-MariaDB-log": true, "5.5.5-10.11.6-MariaDB": true,
		"10.5.9-MariaDB": false, "5.5.5-10.3.1-MariaDB": false,
	} {
		if err := checkVersion(version); (err == nil) != ok {
			t.Errorf("version %s: %v", version, err)
		}
	}
}

// TestLongHistoriesFit has errors whose text takes six times its length as
// JSON, in every attempt.
func TestLongHistoriesFit(t *testing.T) {
	failure, err := stored.Failure(&task.Failure{Message: string(make([]byte, task.MaxErrorText))})
	if err != nil {
		t.Fatal(err)
	}
	history := make([]stored.Attempt, stored.MostAttempts)
	for i := range history {
		history[i] = stored.Attempt{Number: i + 1, Failure: failure}
	}
	text, err := packed(history)
	if err != nil || len(text) > maxHistory {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	kept, err := stored.ParseAttempts(text)
	if err != nil || len(kept) == 0 || kept[len(kept)-1].Number != stored.MostAttempts {
		t.Errorf("kept %d attempts, %v", len(kept), err)
	}
}

// savepoints is a connection that knows those that are set, as the server does: a second
// one of a name takes the place of the first.
type savepoints []string

func (s *savepoints) ExecContext(_ context.Context, query string, _ ...any) (sql.Result, error) {
	words := strings.Fields(query)
	name := words[len(words)-1]
	at := slices.Index(*s, name)
	switch {
	case words[0] == "SAVEPOINT" && at >= 0:
		*s = append(slices.Delete(*s, at, at+1), name)
	case words[0] == "SAVEPOINT":
		*s = append(*s, name)
	case at < 0:
		return nil, &driver.MySQLError{Number: 1305, Message: "SAVEPOINT " + name + " does not exist"}
	case words[0] == "RELEASE":
		*s = (*s)[:at]
	default: // ROLLBACK TO
		*s = (*s)[:at+1]
	}
	return nil, nil
}

func (*savepoints) QueryContext(context.Context, string, ...any) (*sql.Rows, error) {
	return nil, errors.ErrUnsupported
}

// Many members of a group in a caller's transaction go apart as members, and as many.
func TestApartWithinApart(t *testing.T) {
	tx := &tx{session: &session{t.Context(), &savepoints{}}, foreign: true}
	for _, want := range []error{nil, errAgain} {
		err := tx.apart(func() error {
			if err := tx.apart(func() error { return want }); !errors.Is(err, want) {
				t.Errorf("within: %v, want %v", err, want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("around %v: %v", want, err)
		}
	}
}
