package serve

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// A signal that comes with the first one is the same.
func TestSignalsThatComeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal)
		again, cancel := hurry(time.Now(), signals)
		defer cancel()
		for _, late := range []bool{false, false, true} {
			if again.Err() != nil {
				t.Fatal("it took one signal for two")
			}
			if late {
				time.Sleep(time.Millisecond) // sleep: in virtual time
			} else {
				time.Sleep((sameSignal - time.Millisecond) / 2) // sleep: in virtual time
			}
			signals <- syscall.SIGTERM
			synctest.Wait()
		}
		if again.Err() == nil {
			t.Error("a second signal is not heard")
		}
	})
}

// A server that commands find by themselves is not named to them.
func TestServerThatNeedsNoFlag(t *testing.T) {
	if got := serverFlag(client.DefaultServer); got != "" {
		t.Errorf("a needless flag %q", got)
	}
}
