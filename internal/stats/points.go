package stats

import (
	"context"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// MostPoints is how many points one answer has.
const MostPoints = 1500

// usualPoints is how many points an answer has at most without a step.
const usualPoints = 240

// manyWindows is from how many windows on all are read at once.
const manyWindows = 12

func percentiles(t times) inspect.Percentiles {
	return inspect.Percentiles{P50: t.quantile(0.5), P95: t.quantile(0.95), P99: t.quantile(0.99)}
}

// complete fills in what the question leaves open and says what is wrong with it.
func complete(q *inspect.SeriesQuestion, now time.Time) error {
	if q.To.IsZero() {
		q.To = now
	}
	if q.From.IsZero() {
		q.From = q.To.Add(-time.Hour)
	}
	if !q.From.Before(q.To) {
		return task.Invalid("from", "is not before to", "swap them")
	}
	long := q.To.Sub(q.From)
	if q.Step == 0 {
		q.Step = (long/usualPoints + coarse - 1).Truncate(coarse)
		q.Step = max(q.Step, coarse)
	}
	switch {
	case q.Step < fine || q.Step < coarse && q.Step%fine != 0:
		return task.Invalid("step", "is neither whole minutes nor tens of seconds below one", "10s, 20s, 1m, 5m, ...")
	case q.Step >= coarse && q.Step%coarse != 0:
		return task.Invalid("step", "is not whole minutes", "1m, 5m, ...; or 10s to 50s for the last hour of the node that answers")
	case long/q.Step > MostPoints:
		return task.Invalid("step", "makes more than "+strconv.Itoa(MostPoints)+" points", "ask for a longer step or a shorter time")
	}
	q.From, q.To = q.From.Truncate(q.Step), q.To.Truncate(q.Step)
	if !q.From.Before(q.To) {
		q.From = q.To.Add(-q.Step)
	}
	return nil
}

// Read returns points: of steps below a minute what this node remembers, of others
// what all nodes have told the database. Code "invalid" for another question.
func (s *Series) Read(ctx context.Context, q inspect.SeriesQuestion) (*inspect.Points, error) {
	if err := complete(&q, time.Now()); err != nil {
		return nil, err
	}
	if q.Step < coarse {
		return s.remembered(&q), nil
	}
	s.flush(ctx)
	return stored(ctx, s.SeriesConfig.Backend, &q)
}

// ReadSeries is [Series.Read] without a node.
func ReadSeries(ctx context.Context, backend store.Config, q inspect.SeriesQuestion) (*inspect.Points, error) {
	if err := complete(&q, time.Now()); err != nil {
		return nil, err
	}
	if q.Step < coarse {
		return (&Series{}).remembered(&q), nil
	}
	return stored(ctx, backend, &q)
}

// remembered are the points of this node's memory.
func (s *Series) remembered(q *inspect.SeriesQuestion) *inspect.Points {
	f := newFrame(q)
	s.recall(f)
	return f.answer(true)
}

// recall puts this node's memory into frames.
func (s *Series) recall(frames ...*frame) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for i := range s.points {
		for _, f := range frames {
			f.put(s.points[i].at, fine, &minute{Nodes: 1, Queues: s.points[i].queues})
		}
	}
}

// stored are the points of the database.
func stored(ctx context.Context, backend store.Config, q *inspect.SeriesQuestion) (*inspect.Points, error) {
	f := newFrame(q)
	if err := fill(ctx, backend, f); err != nil {
		return nil, err
	}
	return f.answer(false), nil
}

// fill puts the points of the database into frames of the same time.
func fill(ctx context.Context, backend store.Config, frames ...*frame) error {
	if len(frames) == 0 {
		return nil
	}
	objects, err := windows(ctx, backend, windowNames(frames[0].SeriesQuestion, time.Now()))
	if err != nil {
		return err
	}
	for i := range objects {
		for at, m := range readSpan(objects[i].Body).Minutes {
			for _, f := range frames {
				f.put(time.Unix(at, 0), coarse, m)
			}
		}
	}
	return nil
}

// windowNames are the names of the objects that can have points, however long the time
// is that was asked for.
func windowNames(q *inspect.SeriesQuestion, now time.Time) (names []string) {
	from, to := now.Add(-seriesKept-2*windowOf), now.Add(2*windowOf) // with room for clocks that differ
	if q.From.After(from) {
		from = q.From
	}
	if q.To.Before(to) {
		to = q.To
	}
	for at := from.Truncate(windowOf); at.Before(to); at = at.Add(windowOf) {
		names = append(names, at.UTC().Format(windowName))
	}
	return names
}

// windows reads the objects of the names; those that are not there are left out.
func windows(ctx context.Context, backend store.Config, names []string) (found []store.Object, err error) {
	if len(names) > manyWindows {
		all, err := backend.Objects(ctx, KindSeries)
		for i := range all {
			if name := all[i].Name; name >= names[0] && name <= names[len(names)-1] {
				found = append(found, all[i])
			}
		}
		return found, err
	}
	for _, name := range names {
		o, err := backend.Object(ctx, KindSeries, name)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, *o)
	}
	return found, nil
}

// frame is the answer while it is put together.
type frame struct {
	*inspect.SeriesQuestion
	points []framed
}

type framed struct {
	nodes int
	mixed bool           // a part is left out: the queue was counted with others
	parts map[int64]bool // of the step in which somebody counted
	each  time.Duration
	sum   tally
	due   *int
}

func newFrame(q *inspect.SeriesQuestion) *frame {
	return &frame{q, make([]framed, q.To.Sub(q.From)/q.Step)}
}

// put adds what happened from a moment on, for a while.
func (f *frame) put(at time.Time, long time.Duration, m *minute) {
	i := int(at.Sub(f.From) / f.Step)
	if at.Before(f.From) || i >= len(f.points) {
		return
	}
	p := &f.points[i]
	t, known := m.of(f.Queues)
	if !known {
		p.mixed = true
		return
	}
	if p.parts == nil {
		p.parts, p.each = map[int64]bool{}, long
	}
	p.parts[at.Unix()] = true
	p.nodes = max(p.nodes, m.Nodes)
	p.sum.happened(t)
	p.sum.Pending, p.sum.OldestDue = larger(p.sum.Pending, t.Pending), larger(p.sum.OldestDue, t.OldestDue)
	if t.Pending != nil {
		p.due = larger(p.due, &t.Due)
	}
}

// of is what happened in the queues together, in all if there are none; false where
// that is not known since one of them was counted with others.
func (m *minute) of(queues []string) (*tally, bool) {
	sum := &tally{}
	if len(queues) == 0 {
		for _, t := range m.Queues {
			sum.beside(t)
		}
		return sum, true
	}
	for _, queue := range queues {
		if t := m.Queues[queue]; t != nil {
			sum.beside(t)
		} else if m.Queues[otherQueue] != nil {
			return nil, false
		}
	}
	return sum, true
}

func (f *frame) answer(thisNode bool) *inspect.Points {
	out := &inspect.Points{From: f.From, To: f.To, Step: f.Step, ThisNode: thisNode, Points: make([]inspect.Point, len(f.points))}
	for i := range f.points {
		p, sum := &f.points[i], &f.points[i].sum
		out.Points[i] = inspect.Point{
			At: f.From.Add(time.Duration(i) * f.Step), Nodes: p.nodes, Counted: time.Duration(len(p.parts)) * p.each,
			Succeeded: sum.Succeeded, Dead: sum.Dead, Canceled: sum.Canceled, Attempts: sum.Attempts, Failed: sum.Failed, Retries: sum.Retries,
			Run: percentiles(sum.Run), Wait: percentiles(sum.Wait), Pending: sum.Pending, Due: p.due,
		}
		if sum.OldestDue != nil {
			oldest := time.Duration(*sum.OldestDue) * time.Millisecond
			out.Points[i].OldestDue = &oldest
		}
	}
	return out
}
