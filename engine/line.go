package engine

// lineID names an ordering key.
type lineID struct {
	lane uint16
	key  string
}

// line is an ordering key with something in memory: one head, that is
// waiting, ready, claimed or running, and the rest behind it. What a line
// believes is a guess that the claim statement confirms or corrects.
type line struct {
	id     lineID
	head   *entry
	behind pile[*entry]
	held   bool // a dead task blocks the key; the head asks again now and then
	parked bool // rows of the key are parked on disk
}

// first orders the tasks of a key: what has started goes first, then seq.
func first(a, b *entry) bool {
	aStarted, bStarted := a.Attempt+a.Crashes > 0, b.Attempt+b.Crashes > 0
	if aStarted != bStarted {
		return aStarted
	}
	return a.Seq < b.Seq
}

// lineUp gives an entry its place in the line of its key.
func (n *near) lineUp(e *entry) {
	id := lineID{e.ID.Lane(), e.Key}
	l := n.lines[id]
	if l == nil {
		l = &line{id: id, behind: pile[*entry]{less: first}}
		n.lines[id] = l
	}
	e.line = l
	switch {
	case l.head == nil:
		l.head = e
		n.schedule(e)
	case l.head.where != isClaimed && first(e, l.head):
		n.standBehind(l.head)
		l.head = e
		n.schedule(e)
	default:
		n.standBehind(e)
	}
}

// standBehind moves an entry behind the head of its line.
func (n *near) standBehind(e *entry) {
	n.lift(e)
	e.at = e.RunAt // whatever held it as the head
	e.where = isBehind
	e.line.behind.push(e)
	n.behind++
}

// promote makes an entry that stands behind the head of its line the head.
func (n *near) promote(e *entry) {
	n.lift(e)
	old := e.line.head
	e.line.head = e
	n.schedule(e)
	if old != nil {
		n.standBehind(old)
	}
}

// leaveLine takes an entry that is in no structure out of its line and lets
// the next one step forward.
func (n *near) leaveLine(e *entry) {
	l := e.line
	e.line = nil
	if l.head == e {
		l.head = nil
		n.stepForward(l)
	}
	if l.head == nil && l.behind.len() == 0 && !l.parked {
		delete(n.lines, l.id)
	}
}

func (n *near) stepForward(l *line) {
	if l.head != nil || l.behind.len() == 0 {
		return
	}
	e := l.behind.first()
	n.lift(e)
	l.head = e
	l.held = false
	n.schedule(e)
}

// hold makes the head of a held key ask again later.
func (n *near) hold(e *entry, at int64) {
	e.line.held = true
	n.delay(e, at)
}

// askHeld lets the heads of held keys in a lane try at once.
func (n *near) askHeld(lane uint16, now int64) {
	for _, l := range n.lines {
		if l.held && l.id.lane == lane && l.head != nil && l.head.where == isWaiting {
			n.delay(l.head, now)
		}
	}
}

// freeSuspects lets all waiting suspects try: the first to be picked goes, the
// others wait again. So none waits for one that was canceled meanwhile.
func (n *near) freeSuspects() {
	waiting := n.suspects
	n.suspects = nil
	for _, e := range waiting {
		n.schedule(e)
	}
}
