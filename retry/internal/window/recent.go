package window

// Recent holds the kinds of the last events.
type Recent struct {
	kinds  []uint8 // its capacity is their number
	oldest int
	Counts [Kinds]int64
}

// Init sets how many events are held.
func (r *Recent) Init(most int) { r.kinds = make([]uint8, 0, most) }

// Add counts an event in place of the oldest one.
func (r *Recent) Add(kind int) {
	r.Counts[kind]++
	if len(r.kinds) < cap(r.kinds) {
		r.kinds = append(r.kinds, uint8(kind))
		return
	}
	r.Counts[r.kinds[r.oldest]]--
	r.kinds[r.oldest] = uint8(kind)
	r.oldest = (r.oldest + 1) % len(r.kinds)
}

// Reset forgets all events.
func (r *Recent) Reset() { r.kinds, r.oldest, r.Counts = r.kinds[:0], 0, [Kinds]int64{} }
