package agenda

import "github.com/outlast-dev/outlast/store"

// Reopen ends the waiting of the lane's parked rows: something happened that
// may have released them. It reports whether there are any.
func (l *Lane) Reopen() bool {
	for _, p := range l.marks {
		p.until, p.wait = 0, 0
	}
	return len(l.marks) > 0
}

// released ends the waiting of one parked key.
func (l *Lane) released(key string) {
	if len(l.marks) == 0 {
		return
	}
	if p := l.marks[mark{gateKey, key}.number()]; p != nil {
		p.until, p.wait = 0, 0
	}
}

// park remembers that rows with a mark are in the lane, and returns its number.
func (l *Lane) park(m mark) int64 {
	number := m.number()
	if l.marks[number] == nil {
		l.marks[number] = &parked{mark: m}
	}
	return number
}

// NoteLeft remembers that rows of a capability are parked in the lane.
func (l *Lane) NoteLeft(capability string) int64 { return l.park(mark{gateType, capability}) }

// Knows reports whether it is known what the mark of a row in the lane stands for.
func (l *Lane) Knows(row *store.Entry) bool { return row.Park == 0 || l.marks[row.Park] != nil }

// Note remembers the mark of a row, which may be for one of the abilities; marks of
// unknown meaning are kept under an empty gate, and cleared.
func (l *Lane) Note(row *store.Entry, abilities []string) {
	if !l.Knows(row) {
		m, _ := markOf(row, abilities)
		l.marks[row.Park] = &parked{mark: m}
	}
}

// Unmark forgets a mark of which the lane has no rows any more.
func (l *Lane) Unmark(number int64) { delete(l.marks, number) }

// IsLeft reports whether a mark is that of rows which were left to nodes with a
// capability.
func (l *Lane) IsLeft(number int64) bool {
	p := l.marks[number]
	return p != nil && p.gate == gateType
}

// Left yields the capabilities of the rows that were left to nodes with them.
func (l *Lane) Left(yield func(string) bool) {
	for _, p := range l.marks {
		if p.gate == gateType && !yield(p.name) {
			return
		}
	}
}
