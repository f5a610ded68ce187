//go:build mutant

package mysql

import (
	"context"
	"os"
	"strings"
	"time"
)

var planted = os.Getenv("OUTLAST_MUTANT")

// mutant reports whether a planted defect is switched on by OUTLAST_MUTANT.
func mutant(name string) bool { return planted == name }

// mutantUnlocked takes the locks out of a statement.
func mutantUnlocked(name, query string) string {
	if mutant(name) {
		return strings.NewReplacer(" LOCK IN SHARE MODE", "", " FOR UPDATE", "").Replace(query)
	}
	return query
}

// mutantEarly answers before the commit, which it delays.
func (s *Store) mutantEarly(ctx context.Context, kind string, fn func(*tx) error) (early bool, err error) {
	if kind != "claim" || !mutant("handout_before_commit") {
		return false, nil
	}
	answered := make(chan error, 1)
	go func() {
		answered <- s.commit(context.WithoutCancel(ctx), kind, func(tx *tx) error {
			err := fn(tx)
			select {
			case answered <- err:
			default:
			}
			time.Sleep(50 * time.Millisecond)
			return err
		})
	}()
	return true, <-answered
}
