package agenda

import "github.com/outlast-dev/outlast/store"

// keys are the ordering keys of which something is in memory.
type keys struct {
	timeline *timeline
	byID     map[keyID]*sequence
}

// insert gives an entry its place in the sequence of its key.
func (k *keys) insert(e *Entry) {
	id := keyID{e.ID.Lane(), e.Key}
	s := k.byID[id]
	if s == nil {
		s = newSequence(id)
		k.byID[id] = s
	}
	e.sequence = s
	switch {
	case s.head == nil:
		s.head = e
		k.timeline.schedule(e)
	case !s.runs() && inSequence(e).Before(inSequence(s.head)):
		k.moveBehind(s.head)
		s.head = e
		k.timeline.schedule(e)
	default:
		k.moveBehind(e)
	}
}

// moveBehind moves an entry behind the head of its key.
func (k *keys) moveBehind(e *Entry) {
	k.timeline.lift(e)
	e.at = e.RunAt // whatever held it as the head
	e.where = isBehind
	e.sequence.behind.Push(e)
	if e.lane != nil {
		e.lane.behind++
	}
}

// promote makes an entry that stands behind the head of its key the head.
func (k *keys) promote(e *Entry) {
	k.timeline.lift(e)
	old := e.sequence.head
	e.sequence.head = e
	k.timeline.schedule(e)
	if old != nil {
		k.moveBehind(old)
	}
}

// leave takes an entry that is in no structure out of its sequence, and makes the next
// one the head.
func (k *keys) leave(e *Entry) {
	s := e.sequence
	e.sequence = nil
	if s.head == e {
		if s.head = nil; s.behind.Len() > 0 {
			next := s.behind.First()
			k.timeline.lift(next)
			s.head = next
			k.timeline.schedule(next)
		}
	}
	if s.empty() && k.byID[s.id] == s {
		delete(k.byID, s.id)
	}
}

// forget forgets the keys of a lane of which nothing runs.
func (k *keys) forget(lane uint16) {
	for id, s := range k.byID {
		if id.lane == lane && s.head == nil {
			delete(k.byID, id)
		}
	}
}

// AskHeads lets heads that wait, with others behind them, try at once: they
// may have been canceled or moved by another process. The claim tells.
func (k *keys) AskHeads(lane uint16, now int64) {
	for _, s := range k.byID {
		if s.id.lane == lane && s.behind.Len() > 0 && s.head != nil && s.head.where == isWaiting && s.head.at > now {
			k.timeline.Delay(s.head, now)
		}
	}
}

// busyLanes counts the running keyed tasks of lanes.
func (k *keys) busyLanes() map[*Lane]int {
	busy := map[*Lane]int{}
	for _, s := range k.byID {
		if s.runs() && s.head.lane != nil {
			busy[s.head.lane]++
		}
	}
	return busy
}

// lead makes the true head of a key, of which the store has told, the head in memory,
// if it stands there behind an entry of this key.
func (k *keys) lead(e, known *Entry, head store.Entry) bool {
	if known == nil || known.where != isBehind || known.sequence != e.sequence {
		return false
	}
	known.Entry, known.at = head, head.RunAt
	k.promote(known)
	return true
}

// clear takes all of an entry's key out of memory's structures, but for a head that runs.
func (k *keys) clear(s *sequence) (out []*Entry) {
	for s.behind.Len() > 0 {
		e := s.behind.First()
		k.timeline.lift(e)
		out = append(out, e)
	}
	if s.head != nil && !s.runs() {
		k.timeline.lift(s.head)
		out = append(out, s.head)
	}
	return out
}
