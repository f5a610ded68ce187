package classify

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A text gives a category by whole phrases in their place, and never an effect.
func TestTexts(t *testing.T) {
	for text, want := range map[string]Category{
		// What was promised for errors of workers that have no class of their own.
		"deadlock":                Conflict,
		"Deadlock":                Conflict,
		"timeout":                 Timeout,
		"Timeout!":                Timeout,
		"connection":              Network,
		"EOF":                     Network,
		"unexpected EOF":          Network,
		"service unavailable":     Unavailable,
		"503 Service Unavailable": Unavailable,

		"Deadlock found when trying to get lock; try restarting transaction":                Conflict,
		"ERROR: deadlock detected (SQLSTATE 40P01)":                                         Conflict,
		"Transaction (Process ID 52) was deadlocked on lock resources with another process": Conflict,
		"the statement was ended by a deadlock":                                             Conflict,
		"Lock wait timeout exceeded; try restarting":                                        Conflict,
		"database is locked (5)":                                                            Conflict,

		"Read timed out.":                                Timeout,
		"request timeout":                                Timeout,
		"request timeout: no answer":                     Timeout,
		"connect timeout (3000 ms)":                      Timeout,
		"Lock acquire TimeOut":                           Timeout,
		"timeout waiting for idle object":                Timeout,
		"read tcp 10.0.0.1:80: i/o timeout":              Timeout,
		"HikariPool-1: request timed out after 30000ms.": Timeout,

		"Connection reset by peer":                                      Network,
		"Lost connection to MySQL server during query":                  Network,
		"bad Connection":                                                Network,
		"server closed the connection unexpectedly":                     Network,
		"An existing connection was forcibly closed by the remote host": Network,
		"write: broken pipe":                                            Network,
		"Error: socket hang up":                                         Network,

		"could not connect: Connection refused (Connection refused)":  Unsent,
		"connect: no route to host":                                   Unsent,
		"card charged, but the audit log answered: too many requests": Throttled,
		"FATAL: sorry, too many connections already":                  Throttled,

		// Words that a message merely contains.
		"validation failed: field connection is required": Unknown,
		"connection is required":                          Unknown,
		"connection: cannot be blank":                     Unknown,
		"invalid connection string":                       Unknown,
		"invalid timeout parameter":                       Unknown,
		"invalid timeout":                                 Unknown,
		"timeout must be positive":                        Unknown,
		"timeout: must be positive":                       Unknown,
		"unknown field timeout":                           Unknown,
		"request timeout is not a number":                 Unknown,
		"the field connect_timeout after that":            Unknown,
		"user chose deadlock as a nickname":               Unknown,
		"the nickname deadlock is taken":                  Unknown,
		"overtimed outing":                                Unknown,
		"service unavailable flag set twice":              Unknown,
		"typeof is not eof":                               Unknown,
		"":                                                Unknown,
	} {
		for form, err := range map[string]error{
			"plain":   errors.New(text),
			"wrapped": fmt.Errorf("run: %w", errors.New(text)),
			"shouted": errors.New(strings.ToUpper(text)),
			"joined":  errors.Join(errors.New(text), errors.New("rollback")),
		} {
			if v := of(err); v.Category != want || v.Effect != Maybe {
				t.Errorf("%s %q: %+v, want %s", form, text, v, want)
			}
		}
	}
}

// Every phrase is found by itself, and holds the key that it is looked for by.
func TestTextRows(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range texts {
		for _, phrase := range row.phrases {
			if !strings.Contains(phrase, row.key) || phrase != strings.ToLower(phrase) || seen[phrase] {
				t.Errorf("%q under the key %q", phrase, row.key)
			}
			seen[phrase] = true
			if v := of(errors.New(phrase)); v.Category != row.category || v.Effect != Maybe {
				t.Errorf("%q: %+v, want %s", phrase, v, row.category)
			}
		}
	}
}
