// Package ahead keeps pending rows as scans have read them, for the claims that follow:
// so that who writes need not read them.
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

// Rows are safe for concurrent use. A row leaves when it is claimed, and none comes that
// was claimed since its scan began. Of what else may have become of it the caller counts
// the changes: the transactions that may have changed pending rows, other than by a claim
// that is told here. Rows are found only by the count that there was before their scan. Who
// finds some must see to it that nobody else claims until the claim.
type Rows struct {
	mu      sync.Mutex
	rows    map[task.ID][]byte
	bytes   int
	changes int64            // when the rows were not yet read
	scans   int              // under way
	open    []task.ID        // claimed in the transaction that is open
	recent  map[task.ID]bool // claimed in those that ended while a scan was under way
	lost    bool             // they were too many: the scans under way keep nothing
}

// New returns no rows.
func New() *Rows { return &Rows{rows: map[task.ID][]byte{}, recent: map[task.ID]bool{}} }

// Begin begins a scan, and says whether there is room for what it finds.
func (a *Rows) Begin(changes int64) (room bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.scans++
	if changes > a.changes {
		a.changes, a.bytes = changes, 0
		clear(a.rows)
	}
	return a.bytes < most
}

// End ends a scan, with what it has found.
func (a *Rows) End(changes int64, found []Row) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range a.open {
		a.recent[id] = true
	}
	for _, p := range found {
		if changes == a.changes && !a.lost && !a.recent[p.ID] && a.bytes < most {
			a.drop(p.ID)
			a.rows[p.ID] = p.Packed
			a.bytes += cap(p.Packed) + overhead
		}
	}
	if a.scans--; a.scans == 0 {
		clear(a.recent)
		a.lost = false
	}
}

func (a *Rows) drop(id task.ID) {
	if row, ok := a.rows[id]; ok {
		a.bytes -= cap(row) + overhead
		delete(a.rows, id)
	}
}

// Claimed drops rows that the transaction that is open claims.
func (a *Rows) Claimed(ids []task.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range ids {
		a.drop(id)
	}
	a.open = append(a.open, ids...)
}

// Ended says that the transaction that was open has ended.
func (a *Rows) Ended() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.scans > 0 {
		for _, id := range a.open {
			a.recent[id] = true
		}
	}
	if len(a.recent) > mostRecent { // scans that overlap without end
		clear(a.recent)
		a.lost = true
	}
	a.open = a.open[:0]
}

// Find finds rows of items, packed.
func (a *Rows) Find(items []store.ClaimItem, changes int64) (rows [][]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changes != changes {
		return nil
	}
	for _, item := range items {
		if row, ok := a.rows[item.ID]; ok {
			rows = append(rows, row)
		}
	}
	return rows
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
