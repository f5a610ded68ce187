package kind

import (
	"context"
	"crypto/rand"
	"net/url"
	"regexp"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// ScratchPrefix begins the names of all scratch places.
const ScratchPrefix = "outlast_prove_"

// ScratchMark says in a place on a server that it was made as a scratch place.
const ScratchMark = "outlast prove"

var scratchName = regexp.MustCompile(`^` + ScratchPrefix + `[a-z2-7]{12}$`)

// NewScratch is a name for a scratch place.
func NewScratch() string { return ScratchPrefix + strings.ToLower(rand.Text()[:12]) }

// IsScratch reports whether a name is one of those that [NewScratch] makes.
func IsScratch(name string) bool { return scratchName.MatchString(name) }

// Scratch makes places for stores that come and go beside the store of a URL, and
// touches nothing else: schemas of a PostgreSQL database, databases of a MySQL or MariaDB
// server, folders beside a file.
type Scratch interface {
	// What says for people what a place of that name is, and where.
	What(name string) string
	// Server is where the database server listens; both are "" for a file.
	Server() (network, address string)
	// Make makes the place, holds it until Close, and returns the URL of a store in it.
	// A missing right is a [store.ErrNoRight] that says which, and nothing was made. After
	// other errors there may be a place.
	Make(ctx context.Context, name string) (url string, err error)
	// Left lists the places that Make made and no living process holds.
	Left(ctx context.Context) (names []string, err error)
	// Drop drops a place with all that is in it. One that is gone is no error.
	Drop(ctx context.Context, name string) error
	Close()
}

// NoScratch is the error of a user who may make no place.
func NoScratch(what, grant string, err error) error {
	return &task.Error{Code: task.CodeDenied, Message: "the database user may not create " + what + ": " + OneLine(err.Error()), Hint: grant,
		Fields: []task.Field{{Path: "store", Message: "the user lacks a right"}}, Err: store.ErrNoRight}
}

// Via is the parameter of a store URL that names the address to connect to instead, such
// as that of a proxy. What servers and certificates are called stays as it is.
const Via = "via"

// With is a store URL with a parameter, "" for without.
func With(address, name, value string) string {
	where, query, _ := strings.Cut(address, "?")
	params, _ := url.ParseQuery(query) // who reads the URL says what is wrong with it
	params.Del(name)
	if value != "" {
		params.Set(name, value)
	}
	if rest := params.Encode(); rest != "" {
		where += "?" + rest
	}
	return where
}
