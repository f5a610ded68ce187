package handlers

import (
	"encoding/json"
	"sync"

	"github.com/outlast-dev/outlast/task"
)

// MaxProgress bounds one report of progress, in bytes of JSON.
const MaxProgress = 4 << 10

// Progress keeps the last report of each attempt that runs here. The zero value is ready;
// it is safe for concurrent use.
type Progress struct {
	mu      sync.Mutex
	reports map[task.ID]report
}

type report struct {
	claim int64
	text  json.RawMessage
}

// Set notes a report of an attempt.
func (p *Progress) Set(id task.ID, claim int64, text json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reports == nil {
		p.reports = make(map[task.ID]report)
	}
	p.reports[id] = report{claim, text}
}

// Get is the last report of an attempt, nil for none.
func (p *Progress) Get(t *task.Task) json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := p.reports[t.ID]; last.claim == t.Claim {
		return last.text
	}
	return nil
}

// End forgets the reports of a task.
func (p *Progress) End(id task.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.reports, id)
}
