package mysql

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Error numbers of the server, the same for MySQL and MariaDB.
const (
	lockTimeout   = 1205
	deadlock      = 1213
	duplicateKey  = 1062
	notPrepared   = 1047 // a node of a cluster that has lost the others
	tableExists   = 1050
	routineExists = 1304
	columnExists  = 1060
	indexExists   = 1061
	dropMissing   = 1091
	packetTooLong = 1153
)

// errAgain makes a transaction start again: another one was quicker.
var errAgain = errors.New("mysql: another transaction was quicker")

// errUnknown wraps the error of a commit whose answer was lost.
type unknownError struct{ err error }

func (e unknownError) Error() string { return "mysql: the commit was not answered: " + e.err.Error() }
func (e unknownError) Unwrap() error { return e.err }

// numbered returns the error number that the server sent, 0 if the error is
// none of the server's. Drivers are recognised by the shape of their error, a
// struct MySQLError with the field Number, so that none is imported.
func numbered(err error) int {
	for err != nil {
		if number := ownNumber(err); number != 0 {
			return number
		}
		switch wrapper := err.(type) { //nolint:errorlint // it walks over what is wrapped itself
		case interface{ Unwrap() []error }:
			for _, one := range wrapper.Unwrap() {
				if number := numbered(one); number != 0 {
					return number
				}
			}
			return 0
		default:
			err = errors.Unwrap(err)
		}
	}
	return 0
}

func ownNumber(err error) int {
	value := reflect.ValueOf(err)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct || value.Type().Name() != "MySQLError" {
		return 0
	}
	if number := value.FieldByName("Number"); number.CanUint() {
		return int(number.Uint())
	}
	return 0
}

// refusedError is data that cannot be stored, found out midway.
type refusedError struct{ text string }

func (e refusedError) Error() string { return e.text }

// refusals are the errors by which a server refuses the data of a statement.
var refusals = map[int]bool{
	1048:          true, // a null where none may be
	1118:          true, // the row is too long
	1264:          true, // out of range
	1265:          true, // truncated
	1292:          true, // a wrong value
	1366:          true, // a wrong value for the column
	1406:          true, // too long for the column
	1438:          true, // out of range
	3819:          true, // a check of the schema
	4025:          true, // the same on MariaDB
	packetTooLong: true,
}

// refusal reports whether the data of a statement was refused, as opposed to
// failing.
func refusal(err error) bool {
	return errors.As(err, new(refusedError)) || refusals[numbered(err)] ||
		err != nil && strings.Contains(err.Error(), "packet for query is too large") // said by the driver itself
}

// passing reports whether the same transaction may succeed when it starts
// again.
func passing(err error) bool {
	if errors.Is(err, errAgain) {
		return true
	}
	if verdict(err) {
		return false
	}
	switch numbered(err) {
	case lockTimeout, deadlock, notPrepared:
		return true
	}
	return false
}

// verdict reports whether an error is an answer to the caller, as opposed to a
// failure of the database.
func verdict(err error) bool {
	var typed *task.Error
	return errors.As(err, &typed) || errors.Is(err, store.ErrNodeDead)
}

// there reports whether a statement failed because what it makes is there.
func there(err error) bool {
	switch numbered(err) {
	case tableExists, columnExists, indexExists, dropMissing, duplicateKey, routineExists:
		return true
	}
	return false
}

// errLost is a connection that could not even roll back.
var errLost = errors.New("mysql: the connection was lost")

// mostLost is how often one call takes a new connection after it lost one.
const mostLost = 3

// usable reports whether a connection can go on after an error: the server has
// answered, or nothing was asked of it.
func usable(err error) bool {
	return err == nil || verdict(err) || passing(err) || refusal(err) || numbered(err) != 0
}

// repeated calls fn again, after a pause that grows to 50 ms, while it fails
// for a reason that passes: a deadlock, a lock, a lost connection. A commit in
// doubt is not repeated.
func (s *Store) repeated(ctx context.Context, fn func() error) error {
	for lost, pause := 0, time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := fn()
		switch {
		case err == nil, errors.As(err, new(unknownError)), ctx.Err() != nil:
			return s.explained(err)
		case passing(err):
		case !usable(err) && lost < mostLost:
			lost++
			s.sessions.forget()
		default:
			return s.explained(err)
		}
		// Those that met in a deadlock should not meet again.
		timer := time.NewTimer(time.Duration(rand.Int64N(int64(pause)) + 1)) //nolint:gosec // no secret
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}
