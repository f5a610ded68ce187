package events

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// streams counts those that are open.
type streams struct {
	mu      sync.Mutex
	all     int
	byToken map[string]int
}

// join takes a place, until leave is called.
func (s *streams) join(t *inspect.Token) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := ""
	if t != nil {
		id = t.ID
	}
	if s.all >= mostStreams {
		return nil, tooManyStreams("the node", mostStreams)
	}
	if id != "" && s.byToken[id] >= mostTokenStreams {
		return nil, tooManyStreams("the token", mostTokenStreams)
	}
	if s.byToken == nil {
		s.byToken = map[string]int{}
	}
	s.all++
	s.byToken[id]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.byToken[id]--; s.byToken[id] == 0 {
			delete(s.byToken, id)
		}
	}, nil
}

func tooManyStreams(whose string, most int) error {
	wait := 5*time.Second + rand.N(5*time.Second) //nolint:gosec // spreads callers; nothing is secret
	return &task.Error{Code: task.CodeRateLimited, Message: fmt.Sprintf("%s already has %d event streams", whose, most), RetryAfter: wait.Round(time.Second),
		Hint: "close one, or read the lists every few seconds instead"}
}
