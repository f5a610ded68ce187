package storetest

import (
	"testing"

	"github.com/outlast-dev/outlast/store"
)

// What a rule has begun and not ended, as one that fails, is rolled back after it.
func TestTransactionsEndWithTheirRule(t *testing.T) {
	ended := 0
	t.Run("a rule", func(t *testing.T) {
		begin := func(*testing.T, store.Backend) (tx any, commit, rollback func() error) {
			return nil, nil, func() error { ended++; return nil }
		}
		h := &harness{T: t, able: Abilities{Tx: begin}}
		h.begin()
	})
	if ended != 1 {
		t.Fatalf("rolled back %d times", ended)
	}
}
