package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Error numbers for the want of a right: to a table, a column, a database, and of
// the whole server. No other is a refusal that does not pass by itself.
const (
	noTableRight    = 1142
	noColumnRight   = 1143
	noDatabaseRight = 1044
	noServerRight   = 1227
)

// Error numbers for what is not there, or is not ours.
const (
	wrongPassword  = 1045
	wrongHost      = 1130
	noDatabase     = 1049
	noneChosen     = 1046
	noTable        = 1146
	noColumn       = 1054
	noKeyColumn    = 1072
	tooMany        = 1040
	tooManyOfUser  = 1203
	tooManyByLimit = 1226
)

// account is who the store is, and where, as the server has it.
type account struct{ user, database string }

// The rights that all work needs, and those of migrations.
const (
	workRights      = "SELECT, INSERT, UPDATE, DELETE"
	migrationRights = "CREATE, ALTER, INDEX"
)

// grant is the statement that gives rights.
func (a account) grant(rights string) string {
	user, host := a.user, "%"
	if at := strings.LastIndex(user, "@"); at >= 0 {
		user, host = user[:at], user[at+1:]
	}
	return fmt.Sprintf("GRANT %s ON %s.* TO %s@%s", rights, quoteName(a.database), quoteText(user), quoteText(host))
}

func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// explained makes the want of a right what it is: a refusal with nothing changed,
// which does not pass by itself, and which says what gives the right.
func (s *Store) explained(err error) error {
	if !lacksRight(err) || verdict(err) || s.account.user == "" { // else it is not even connected
		return err
	}
	message, rights := messageOf(err), workRights
	switch command, _, _ := strings.Cut(message, " "); strings.TrimSuffix(command, ",") {
	case "CREATE", "ALTER", "INDEX", "REFERENCES", "DROP":
		rights = migrationRights
	}
	return &task.Error{Code: task.CodeUnavailable, Message: "the database refuses it: " + message, Hint: s.account.grant(rights), Err: errors.Join(store.ErrNoRight, err)}
}

func lacksRight(err error) bool {
	switch numbered(err) {
	case noTableRight, noColumnRight, noDatabaseRight, noServerRight:
		return true
	}
	return false
}

// messageOf is what the server itself says, without its number.
func messageOf(err error) string {
	for err := err; err != nil; err = errors.Unwrap(err) {
		if value := reflect.ValueOf(err); ownNumber(err) != 0 {
			if value.Kind() == reflect.Pointer {
				value = value.Elem()
			}
			if message := value.FieldByName("Message"); message.Kind() == reflect.String {
				return message.String()
			}
		}
	}
	return err.Error()
}

// accountOf asks who the store is.
func (s *Store) accountOf(ctx context.Context) error {
	var database sql.NullString
	err := s.read(ctx, func(c *session) error {
		return c.one(`SELECT CURRENT_USER(), DATABASE()`, &s.account.user, &database)
	})
	s.account.database = database.String
	return err
}

// Explain says for people why a database cannot be opened, and what to do about
// it: a wrong password, a database that is missing, a right. Other errors, and
// nil, are given back as they are.
func Explain(err error) error {
	problem := func(code task.Code, message, hint string) error {
		return &task.Error{Code: code, Message: message + ": " + messageOf(err), Hint: hint, Err: err}
	}
	if verdict(err) {
		return err
	}
	switch numbered(err) {
	case wrongPassword:
		return problem(task.CodeDenied, "the server refuses the user or its password", "check both in the store URL; special characters are escaped there, such as %40 for @")
	case wrongHost:
		return problem(task.CodeDenied, "the server refuses connections of this user from here", "CREATE USER for this host, or for '%'")
	case noDatabaseRight:
		return problem(task.CodeDenied, "the user may not use the database", "check its name; if it is right: GRANT "+workRights+", "+migrationRights+" on it TO the user")
	case noDatabase:
		return problem(task.CodeNotFound, "the database is not there", "make it: CREATE DATABASE and the name")
	case tooMany, tooManyOfUser, tooManyByLimit:
		return problem(task.CodeUnavailable, "the server has no connection left", "raise max_connections, or give nodes smaller pools: pool_max_conns in the store URL")
	}
	return err
}

// notOurs recognises errors of migrations among tables of somebody else.
func (s *Store) notOurs(err error) error {
	switch numbered(err) {
	case tableExists, noColumn, noKeyColumn:
		return &task.Error{Code: task.CodeConflict, Message: fmt.Sprintf("the database %s has a table of our names that is not ours: %s", quoteName(s.account.database), messageOf(err)),
			Hint: "give Outlast a database of its own", Err: err}
	}
	return err
}

// elsewhere recognises a caller's transaction on a database that is not the store's.
func (s *Store) elsewhere(err error) error {
	switch numbered(err) {
	case noTable, noneChosen:
		return &task.Error{Code: task.CodeInvalid, Message: "the transaction's database has no tables of Outlast: " + messageOf(err),
			Hint: "begin it on the database of the store, " + quoteName(s.account.database), Fields: []task.Field{{Path: "tx", Message: "on another database"}}, Err: err}
	}
	return s.explained(err)
}
