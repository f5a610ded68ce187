// Package stores knows the stores that the program has drivers for. Each kind has a
// package of its own: a further one is that, and a place in the list here.
package stores

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/mysql"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/postgres"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/sqlite"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

var (
	durable  = []kind.Kind{sqlite.Kind, postgres.Kind, mysql.Kind}
	inMemory = kind.Kind{
		Schemes: []string{"memory"},
		Safety:  server.InMemory,
		Open: func(_ context.Context, url string, _ bool) (store.Backend, error) {
			if url != "memory:" {
				return nil, cli.Usagef("the store URL memory: takes no path; it keeps nothing on disk")
			}
			return memory.New(), nil
		},
	}
)

// Forms is how the URLs of stores that outlast a process look, for the help of flags.
func Forms() string {
	var forms []string
	for _, k := range durable {
		forms = append(forms, k.Form)
	}
	last := len(forms) - 1
	return strings.Join(forms[:last], ", ") + " or " + forms[last]
}

// Openers open the stores of this program for a server.
func Openers() app.Openers {
	all := app.Openers{}
	for _, k := range append([]kind.Kind{inMemory}, durable...) {
		for _, scheme := range k.Schemes {
			all[scheme] = app.Opener{Safety: k.Safety, Open: func(ctx context.Context, rest string) (store.Backend, error) {
				return k.Open(ctx, scheme+":"+rest, false)
			}}
		}
	}
	return all
}

// SchemeOf is what says of which kind a store URL is.
func SchemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme
}

// Durable finds the kind of a URL among those that outlast a process. It has an Exists.
func Durable(url string) (kind.Kind, error) {
	known := map[string]kind.Kind{}
	for _, k := range durable {
		for _, scheme := range k.Schemes {
			known[scheme] = k
		}
	}
	if k, found := known[SchemeOf(url)]; found {
		if k.Exists == nil {
			k.Exists = func(string) error { return nil }
		}
		return k, nil
	}
	// The URL may hold a password, so it is not shown.
	return kind.Kind{}, cli.Usagef("the store URL must begin with one of: %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}
