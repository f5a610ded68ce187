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
}

// inLine orders the tasks of a key: what has started goes first, then seq.
func inLine(e *entry) rank {
	if e.Attempt+e.Crashes > 0 {
		return rank{0, e.Seq}
	}
	return rank{1, e.Seq}
}

// lineUp gives an entry its place in the line of its key.
func (n *near) lineUp(e *entry) {
	id := lineID{e.ID.Lane(), e.Key}
	l := n.lines[id]
	if l == nil {
		l = &line{id: id, behind: pile[*entry]{rank: inLine}}
		n.lines[id] = l
	}
	e.line = l
	switch {
	case l.head == nil:
		l.head = e
		n.schedule(e)
	case l.head.where != isClaimed && inLine(e).before(inLine(l.head)):
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
	if e.lane != nil {
		e.lane.behind++
	}
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
	if l.head == nil && l.behind.len() == 0 && n.lines[l.id] == l {
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
	n.schedule(e)
}

// shelve takes what memory has of a line, but for a head that runs, out of
// it, to be parked: the key is blocked, by a dead task or by a head that is
// due beyond the horizon. The entries are in no structure afterwards.
func (n *near) shelve(l *line) []*entry {
	var out []*entry
	for l.behind.len() > 0 {
		e := l.behind.first()
		n.lift(e)
		out = append(out, e)
	}
	if e := l.head; e != nil && e.where != isClaimed {
		n.lift(e)
		out = append(out, e)
	}
	return out
}

// askHeads lets heads that wait, with others behind them, try at once: they
// may have been canceled or moved by another process. The claim tells.
func (n *near) askHeads(lane uint16, now int64) {
	for _, l := range n.lines {
		if l.id.lane == lane && l.behind.len() > 0 && l.head != nil && l.head.where == isWaiting && l.head.at > now {
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
