package wire

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Codes of errors, from the appendix of the manual.
const (
	codeNoStatement    = "26000"
	codeStatementThere = "42P05"
	CodeSerialization  = "40001"
	codeDeadlock       = "40P01"
	CodeLockTimeout    = "55P03"
	codePlanChanged    = "0A000" // cached plan must not change result type
	CodeUnique         = "23505"
	CodeNoPartition    = "23514"
	CodeNoTable        = "42P01"
	CodeNoRight        = "42501"
	CodeNoSchema       = "3F000"
	CodeInternal       = "XX000"

	// Of those who connect.
	CodePassword       = "28P01"
	CodeNotAdmitted    = "28000"
	CodeNoDatabase     = "3D000"
	CodeTooMany        = "53300"
	CodeStarting       = "57P03"
	CodeUnknownSetting = "42704"
)

// CodeOf is the code of an error of the server, "" for others.
func CodeOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// Passing reports whether a transaction failed for a reason that passes by
// itself, with nothing changed.
func Passing(err error) bool {
	switch CodeOf(err) {
	case CodeSerialization, codeDeadlock, CodeLockTimeout, codeNoStatement, codeStatementThere:
		return true
	case codePlanChanged: // the code of all that a server cannot do
		var refused *pgconn.PgError
		return errors.As(err, &refused) && refused.Routine == "RevalidateCachedQuery"
	}
	return errors.Is(err, errClosed) || err != nil && pgconn.SafeToRetry(err)
}

// Refusal reports whether the server refused the data of a statement (class
// 22), or its being there twice (class 23).
func Refusal(err error) bool {
	code := CodeOf(err)
	return len(code) == 5 && (code[:2] == "22" || code[:2] == "23" || code == "54000")
}

// MessageOf is what the server itself says.
func MessageOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Message
	}
	return err.Error()
}
