package sim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/outlast-dev/outlast/internal/targetname"
)

// letter is what is read of a line: a task with its attempts, as `outlast task
// export` and `outlast dead export` write it.
type letter struct {
	Type     string `json:"type"`
	State    string `json:"state"`
	Target   place  `json:"target"`
	Attempts []struct {
		StartedAt time.Time `json:"started_at"`
		EndedAt   time.Time `json:"ended_at"`
		Outcome   string    `json:"outcome"`
		Category  string    `json:"category"`
		Effect    string    `json:"effect"`
	} `json:"attempts"`
}

// place is what a line says about the target: its name, or the request.
type place struct{ name string }

// UnmarshalJSON takes a name, or an object with a URL. The unit is then that of the
// engine: the host in lower case, with the port when it is not the scheme's own.
func (p *place) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &p.name)
	}
	var request struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(data, &request); err != nil {
		return err
	}
	u, err := url.Parse(request.URL)
	if err != nil || u.Hostname() == "" {
		return nil //nolint:nilerr // such a target has no place, and is known by its type
	}
	p.name = targetname.Of(u)
	return nil
}

// mostLine is the longest line that is read, in bytes.
const mostLine = 64 << 20

// ReadHistory reads tasks with their attempts, one JSON object per line, in any
// order. It keeps a few words per attempt.
func ReadHistory(r io.Reader) (*History, error) {
	h := NewRecorder()
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), mostLine)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l letter
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d is no task with attempts: %w", number, err)
		}
		if _, err := h.Add(l.recorded()); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, fmt.Errorf("a line of more than %d MiB: %w", mostLine>>20, err)
		}
		return nil, err
	}
	return h.History()
}

// recorded is what the line tells.
func (l *letter) recorded() *Recorded {
	r := &Recorded{Type: l.Type, State: l.State, Target: l.Target.name}
	for _, a := range l.Attempts {
		r.Attempts = append(r.Attempts, RecordedAttempt(a))
	}
	return r
}
