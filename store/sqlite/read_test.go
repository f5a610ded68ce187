package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

// A mistake of the program in a read, which whoever answers requests survives, takes no
// reader with it.
func TestMistakeInAReadKeepsTheReaders(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "outlast.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for range readers {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the mistake is not told")
				}
			}()
			var none []int
			_ = s.read(t.Context(), func(*conn) error { none[readers] = 0; return nil })
		}()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.read(ctx, func(*conn) error { return nil }); err != nil {
		t.Error(err)
	}
}
