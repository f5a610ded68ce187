package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Codes of errors, from the appendix of the manual.
const (
	codeNoStatement    = "26000"
	codeStatementThere = "42P05"
	codeSerialization  = "40001"
	codeDeadlock       = "40P01"
	codeLockTimeout    = "55P03"
	codePlanChanged    = "0A000" // cached plan must not change result type
	codeUnique         = "23505"
	codeNoPartition    = "23514"
	codeDivision       = "22012" // how our statements say that a check failed
	codeNoTable        = "42P01"
	codeNoRight        = "42501"
	codeNoSchema       = "3F000"
	codeInternal       = "XX000"
)

// codeOf is the code of an error of the server, "" for others.
func codeOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// passing reports whether a transaction failed for a reason that passes by
// itself, with nothing changed.
func passing(err error) bool {
	switch codeOf(err) {
	case codeSerialization, codeDeadlock, codeLockTimeout, codeNoStatement, codeStatementThere:
		return true
	case codePlanChanged: // the code of all that a server cannot do
		var refused *pgconn.PgError
		return errors.As(err, &refused) && refused.Routine == "RevalidateCachedQuery"
	}
	return errors.Is(err, errClosed) || err != nil && pgconn.SafeToRetry(err)
}

// refusal reports whether the server refused the data of a statement (class
// 22), or its being there twice (class 23).
func refusal(err error) bool {
	code := codeOf(err)
	return len(code) == 5 && (code[:2] == "22" || code[:2] == "23" || code == "54000")
}

// repeat runs fn until it does not fail for a passing reason, as long as ctx
// lasts.
func (s *Store) repeat(ctx context.Context, fn func() error) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := fn()
		if !passing(err) || !sleep(ctx, pause) {
			return s.explained(err)
		}
	}
}

// sleep waits for d; false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
