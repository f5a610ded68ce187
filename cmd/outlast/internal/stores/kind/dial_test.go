package kind

import (
	"context"
	"database/sql/driver"
	"testing"
	"testing/synctest"
	"time"
)

// mute is a server that accepts and says nothing.
type mute struct{}

func (mute) Driver() driver.Driver { return nil }

func (mute) Connect(ctx context.Context) (driver.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestGreetingIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, err := (Greeted{mute{}}).Connect(t.Context()); err == nil || time.Since(began) != ConnectedAfter {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}
