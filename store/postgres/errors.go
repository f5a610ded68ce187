package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/task"
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

	// Of those who connect.
	codePassword       = "28P01"
	codeNotAdmitted    = "28000"
	codeNoDatabase     = "3D000"
	codeTooMany        = "53300"
	codeStarting       = "57P03"
	codeUnknownSetting = "42704"
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

// Explain says for people why no connection can be made, and what to do about it:
// a wrong password, a database that is missing, a parameter that nobody knows,
// something else that listens there. It is one line and names each address once.
// Errors that are not of a connection, and nil, are given back as they are.
func Explain(err error) error {
	var failed *pgconn.ConnectError
	if !errors.As(err, &failed) || errors.As(err, new(*task.Error)) {
		return err
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refusedConnection(failed, refused)
	}
	reasons := reasonsOf(failed)
	problem := &task.Error{Code: task.CodeUnavailable, Message: "the database cannot be reached: " + strings.Join(reasons, "; "),
		Hint: "check that it runs, and that its address is reached from here", Err: err}
	switch text := problem.Message; {
	case strings.Contains(text, "unexpected message"), strings.Contains(text, "unknown message type"):
		problem.Message = "what listens there is not PostgreSQL: " + addressesOf(reasons)
		problem.Hint = "check the port; the URL of MySQL and MariaDB begins with mysql://"
	case strings.Contains(text, "refused TLS"):
		problem.Hint = "the server has no TLS: sslmode=disable in the URL goes without, on networks that you trust"
	case strings.Contains(text, "tls: ") || strings.Contains(text, "x509: "):
		problem.Hint = "sslrootcert=FILE in the URL names the authority that signed the server's certificate"
	}
	return problem
}

// refusedConnection is what a server says of a connection.
func refusedConnection(failed *pgconn.ConnectError, refused *pgconn.PgError) error {
	user, database := quote(failed.Config.User), quote(failed.Config.Database)
	problem := &task.Error{Code: task.CodeUnavailable, Message: "the database refuses the connection: " + refused.Message, Err: failed}
	switch refused.Code {
	case codePassword:
		problem.Code, problem.Hint = task.CodeDenied, "check the user and the password of the URL; special characters are escaped there, such as %40 for @, and PGPASSWORD may hold the password instead"
	case codeNotAdmitted:
		problem.Code, problem.Hint = task.CodeDenied, "check the user of the URL, and pg_hba.conf of the server: who may connect from where, and how"
	case codeNoRight:
		problem.Code, problem.Hint = task.CodeDenied, fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s", database, user)
	case codeNoDatabase:
		problem.Code, problem.Hint = task.CodeNotFound, fmt.Sprintf("make it: CREATE DATABASE %s ENCODING 'UTF8' TEMPLATE template0", database)
	case codeTooMany:
		problem.Hint = "raise max_connections, or give nodes smaller pools: pool_max_conns in the URL"
	case codeStarting:
		problem.Hint = "it is starting or stopping: try again"
	case codeUnknownSetting:
		problem.Code, problem.Hint = task.CodeInvalid, "what is no parameter of the URL goes to the server as a setting: check its name"
	default:
		problem.Hint = "the log of the server says more"
	}
	return problem
}

// reasonsOf are what went wrong at each address, each once. That an address has no
// TLS matters only if nothing else is wrong with it.
func reasonsOf(failed *pgconn.ConnectError) (reasons []string) {
	for _, line := range strings.Split(errors.Unwrap(failed).Error(), "\n") {
		line = dialed.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(line, ": %!w(<nil>)", "")), "${1}: ")
		if line != "" && !slices.Contains(reasons, line) {
			reasons = append(reasons, line)
		}
	}
	return slices.DeleteFunc(slices.Clone(reasons), func(reason string) bool {
		address, _, _ := strings.Cut(reason, ": tls error: server refused TLS")
		return address != reason && slices.ContainsFunc(reasons, func(other string) bool { return other != reason && strings.HasPrefix(other, address) })
	})
}

// dialed is what pgx and package net say of an address before what went wrong, the
// address three times.
var dialed = regexp.MustCompile(`^(\S+) \([^)]*\): (?:dial error: )?(?:dial \w+ \S+: )?(?:connect: )?`)

// addressesOf are the addresses of reasons, each once.
func addressesOf(reasons []string) string {
	var all []string
	for _, reason := range reasons {
		if address, _, found := strings.Cut(reason, ": "); found && !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return strings.Join(all, ", ")
}
