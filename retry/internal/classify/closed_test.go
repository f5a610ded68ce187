package classify

import (
	"fmt"
	"net"
	"testing"
)

// like is an error that is another one by a method, as those of QUIC are.
type like struct{ of error }

func (e like) Error() string        { return "like another" }
func (e like) Is(target error) bool { return target == e.of }

// A closed connection is known by its type; errors that only say that they are one, when
// somebody has linked the network.
func TestClosed(t *testing.T) {
	defer LinkNetwork(nil)
	for _, linked := range []bool{false, true} {
		if linked {
			LinkNetwork(net.ErrClosed)
		}
		if v := of(fmt.Errorf("read: %w", net.ErrClosed)); v.Category != Network || v.Effect != Maybe || v.Type != "poll.errNetClosing" {
			t.Errorf("linked %v: %+v", linked, v)
		}
		if v := of(like{net.ErrClosed}); (v.Category == Network) != linked {
			t.Errorf("linked %v: like one %+v", linked, v)
		}
		if v := of(like{nil}); v.Category != Unknown {
			t.Errorf("linked %v: like nothing %+v", linked, v)
		}
	}
}
