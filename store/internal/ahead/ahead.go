// Package ahead keeps pending rows as scans have read them, for the claims that follow:
// so that who claims need not read them again.
package ahead

import (
	"database/sql/driver"
	"encoding/binary"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// most bounds the rows that are kept, in bytes: some ten thousand small ones.
	most = 24 << 20
	// Largest is the payload of a row that is worth keeping.
	Largest = 1024
	// overhead is what keeping a row costs beside its bytes.
	overhead = 64
	// mostRecent bounds what is known of claims that scans have met.
	mostRecent = 1 << 17
)

// State counts what may have become of the pending rows of a lane, other than by a claim
// that is told here. It only grows.
type State func(lane uint16) int64

// All is the state of all lanes, whose changes are not counted apart.
func All(changes int64) State { return func(uint16) int64 { return changes } }

// Rows are safe for concurrent use. A row leaves when it is claimed, and none comes that
// was claimed since its scan began. Of what else may have become of it the caller counts
// the changes: rows are found only in the state of their lane that there was before their
// scan. Who finds some must see to it that nobody else claims until the claim.
type Rows struct {
	mu     sync.Mutex
	lanes  map[uint16]*lane
	bytes  int
	scans  int               // under way
	clock  int64             // of claims and settlements
	open   []task.ID         // claimed in the transaction that is open
	recent map[task.ID]int64 // when those were claimed or settled last that were while a scan was under way
	lost   bool              // they were too many: the scans under way keep nothing
}

// lane has the rows of a lane, all of one state.
type lane struct {
	state int64
	rows  map[task.ID][]byte
}

// New returns no rows.
func New() *Rows { return &Rows{lanes: map[uint16]*lane{}, recent: map[task.ID]int64{}} }

// Begin begins a scan, and says when and whether there is room for what it finds.
func (a *Rows) Begin() (began int64, room bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scans++
	return a.clock, a.bytes < most
}

// End ends a scan, with what it has found; states are those in which it began.
func (a *Rows) End(began int64, found []Row, state State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range a.open {
		a.recent[id] = a.clock + 1
	}
	for number := range a.lanes {
		a.in(number, state)
	}
	var l *lane
	for i, p := range found {
		if i == 0 || p.ID.Lane() != found[i-1].ID.Lane() {
			l = a.in(p.ID.Lane(), state)
		}
		if l != nil && !a.lost && a.recent[p.ID] <= began && a.bytes < most {
			a.drop(l, p.ID)
			l.rows[p.ID] = p.Packed
			a.bytes += cap(p.Packed) + overhead
		}
	}
	if a.scans--; a.scans == 0 {
		clear(a.recent)
		a.lost = false
	}
}

// in is a lane in a state, without what it had in an earlier one; nil if it is past that.
func (a *Rows) in(number uint16, state State) *lane {
	at, l := state(number), a.lanes[number]
	switch {
	case l == nil:
		l = &lane{state: at, rows: map[task.ID][]byte{}}
		a.lanes[number] = l
	case l.state > at:
		return nil
	case l.state < at:
		a.empty(l)
		l.state = at
	}
	return l
}

func (a *Rows) empty(l *lane) {
	for id := range l.rows {
		a.drop(l, id)
	}
}

func (a *Rows) drop(l *lane, id task.ID) {
	if row, ok := l.rows[id]; ok {
		a.bytes -= cap(row) + overhead
		delete(l.rows, id)
	}
}

// Claimed drops rows that the transaction that is open claims.
func (a *Rows) Claimed(ids []task.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range ids {
		if l := a.lanes[id.Lane()]; l != nil {
			a.drop(l, id)
		}
	}
	a.open = append(a.open, ids...)
}

// Ended says that the transaction that was open has ended.
func (a *Rows) Ended() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.scans > 0 {
		a.meet(a.open)
	}
	a.open = a.open[:0]
}

// Find finds rows of items, packed; nil for those that it does not have.
func (a *Rows) Find(items []store.ClaimItem, state State) [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	rows := make([][]byte, len(items))
	for i, item := range items {
		if l := a.lanes[item.ID.Lane()]; l != nil && len(l.rows) > 0 && a.in(item.ID.Lane(), state) != nil {
			rows[i] = l.rows[item.ID]
		}
	}
	return rows
}

// Take is Find and Claimed in one, for who claims in the transaction that is open now.
func (a *Rows) Take(items []store.ClaimItem, state State) [][]byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	rows, lanes := make([][]byte, len(items)), map[uint16]*lane{}
	for i, item := range items {
		a.open = append(a.open, item.ID)
		number := item.ID.Lane()
		l, known := lanes[number]
		if !known {
			l = a.in(number, state)
			lanes[number] = l
		}
		if l == nil {
			continue
		}
		if row, found := l.rows[item.ID]; found {
			rows[i] = row
			a.bytes -= cap(row) + overhead
			delete(l.rows, item.ID)
		}
	}
	return rows
}

// Settled says that rows run no more which did when a scan may have begun: what it has
// read of them is older than that.
func (a *Rows) Settled(ids []task.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.scans > 0 {
		a.meet(ids)
	}
}

// meet notes what scans under way must not keep.
func (a *Rows) meet(ids []task.ID) {
	a.clock++
	for _, id := range ids {
		a.recent[id] = a.clock
	}
	if len(a.recent) > mostRecent { // scans that overlap without end
		clear(a.recent)
		a.lost = true
	}
}

// Row is a row that a scan has found.
type Row struct {
	ID     task.ID
	Packed []byte
}

// Pack appends the values of a row, one after the other.
func Pack(to []byte, values []driver.Value) []byte {
	for _, value := range values {
		switch v := value.(type) {
		case int64:
			to = binary.AppendVarint(append(to, 'i'), v)
		case []byte:
			to = append(binary.AppendUvarint(append(to, 'b'), uint64(len(v))), v...)
		case string:
			to = append(binary.AppendUvarint(append(to, 'b'), uint64(len(v))), v...)
		default:
			to = append(to, 0)
		}
	}
	return to
}

// Unpack appends what Pack was given. Texts are bytes, and share the memory of what they are
// read from.
func Unpack(from []byte, values []driver.Value) []driver.Value {
	for len(from) > 0 {
		kind := from[0]
		from = from[1:]
		switch kind {
		case 'i':
			v, n := binary.Varint(from)
			values, from = append(values, v), from[n:]
		case 'b':
			size, n := binary.Uvarint(from)
			end := n + int(size)
			values, from = append(values, from[n:end:end]), from[end:]
		default:
			values = append(values, nil)
		}
	}
	return values
}
