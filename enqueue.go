package outlast

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Enqueue accepts one task. When it returns without an error, the task is on
// disk. An id or dedupe key that is there already with the same content is no
// error: the receipt has the first task and says so.
//
// Errors are an [*Error]: "invalid" with fields, "too_large", "id_conflict",
// "dedupe_conflict", "queue_full" with a time to come back, "unavailable". If
// ctx ends first the outcome is unknown; repeat the call with the same
// [Draft.ID] then.
func (c *Client) Enqueue(ctx context.Context, draft Draft) (Receipt, error) {
	if err := c.running(); err != nil {
		return Receipt{}, err
	}
	if c.tracer == nil {
		return c.enqueueOne(ctx, draft)
	}
	ctx, span := c.traceEnqueue(ctx, &draft, 1)
	receipt, err := c.enqueueOne(ctx, draft)
	if err == nil {
		span.Accepted(receipt.Task.ID, receipt.Existing)
	}
	span.End(err)
	return receipt, err
}

func (c *Client) enqueueOne(ctx context.Context, draft Draft) (Receipt, error) {
	insert, err := c.prepareOf(ctx, draft, "", nil)
	if err != nil {
		return Receipt{}, c.metrics.refused(err)
	}
	inserts := []store.Insert{insert}
	seat, err := c.seatsFor(ctx, insert.Task.Queue, 1, inserts)
	if err != nil {
		return Receipt{}, c.metrics.refused(attributed(err, ""))
	}
	inserted, err := c.engine.Enqueue(ctx, inserts)
	if seat.fill != nil {
		c.written(seat, inserted, err)
	}
	if err != nil {
		return Receipt{}, c.metrics.refused(attributed(err, ""))
	}
	receipt := c.receipt(&insert, &inserted[0])
	if c.feed.Listening() {
		c.feedEnqueued(receipt)
	}
	return receipt, nil
}

// EnqueueMany accepts up to 10 000 tasks. Atomic ones share fate: all are
// accepted, or none and the error says why, with paths such as
// "tasks[3].delay". Otherwise each receipt has its own error, and the error of
// the call means that the outcome of all is unknown.
func (c *Client) EnqueueMany(ctx context.Context, drafts []Draft, atomic bool) ([]Receipt, error) {
	if err := c.running(); err != nil {
		return nil, err
	}
	if err := tooMany(len(drafts)); err != nil || len(drafts) == 0 {
		return nil, err
	}
	ctx, span := c.traceEnqueue(ctx, &drafts[0], len(drafts))
	receipts, err := []Receipt(nil), error(nil)
	if atomic {
		receipts, err = c.enqueueAtomic(ctx, drafts, c.engine.Enqueue, 0)
	} else {
		receipts, err = c.enqueueEach(ctx, drafts)
	}
	span.End(err)
	return receipts, err
}

func tooMany(drafts int) error {
	if drafts <= maxDrafts {
		return nil
	}
	return &Error{Code: task.CodeTooLarge, Message: strconv.Itoa(drafts) + " tasks are too many for one call", Hint: "send at most 10000"}
}

// enqueueAtomic validates all drafts before any is written. They are on disk a
// while after write has returned.
func (c *Client) enqueueAtomic(ctx context.Context, drafts []Draft, write func(context.Context, []store.Insert) ([]store.Inserted, error), while time.Duration) ([]Receipt, error) {
	inserts := make([]store.Insert, len(drafts))
	channel := c.channelFor(ctx)
	var wrong accept.Complaints
	for i := range drafts {
		insert, err := c.prepareOf(ctx, drafts[i], item(i), channel)
		if err != nil && !wrong.Collect(err) {
			return nil, c.metrics.refused(err)
		}
		inserts[i] = insert
	}
	if err := wrong.Err("some of the tasks are invalid"); err != nil {
		return nil, c.metrics.refused(err)
	}
	taken, err := c.seatsOf(ctx, inserts)
	if err != nil {
		return nil, c.metrics.refused(err)
	}
	inserted, err := write(ctx, inserts)
	c.writtenAll(taken, inserts, inserted, err, while)
	if err != nil {
		return nil, c.metrics.refused(c.attribute(ctx, err, inserts))
	}
	receipts := make([]Receipt, len(inserted))
	for i := range inserted {
		receipts[i] = c.receipt(&inserts[i], &inserted[i])
	}
	if while == 0 {
		c.feedEnqueued(receipts...)
	}
	return receipts, nil
}

// conflictPaths are the fields that errors of the store and of a full queue
// are about.
var conflictPaths = map[task.Code]string{
	task.CodeDedupeConflict: "dedupe_key", task.CodeDedupeBusy: "dedupe_key", task.CodeIDConflict: "id", task.CodeQueueFull: "queue",
}

// attributed names the fields that an error is about, one for each prefix.
func attributed(err error, prefixes ...string) error {
	var e *Error
	if !errors.As(err, &e) || conflictPaths[e.Code] == "" || len(e.Fields) > 0 {
		return err
	}
	named := *e
	for _, prefix := range prefixes {
		named.Fields = append(named.Fields, task.Field{Path: prefix + conflictPaths[e.Code], Message: e.Message})
	}
	return &named
}

// attribute finds the drafts of a batch that an error is about: those of its
// id, or of the dedupe key of the task in the way, which may itself be one of
// the batch. With a key whose task is gone it names all that have a key.
func (c *Client) attribute(ctx context.Context, err error, inserts []store.Insert) error {
	var e *Error
	if !errors.As(err, &e) || conflictPaths[e.Code] == "" {
		return err
	}
	about := func(insert *store.Insert) bool { return insert.Task.ID == e.Existing }
	if e.Code != task.CodeIDConflict {
		about = func(insert *store.Insert) bool { return insert.Dedupe != nil }
		if holder := c.holder(ctx, e.Existing, inserts); holder != nil {
			about = func(insert *store.Insert) bool {
				return insert.Dedupe != nil && insert.Dedupe.Key == holder.Spec.DedupeKey && insert.Task.Queue == holder.Queue && insert.Task.ID != holder.ID
			}
		}
	}
	var prefixes []string
	for i := range inserts {
		if about(&inserts[i]) && len(prefixes) < accept.MostComplaints {
			prefixes = append(prefixes, item(i))
		}
	}
	return attributed(err, prefixes...)
}

// holder is the task that has a dedupe key, nil if it is gone.
func (c *Client) holder(ctx context.Context, id ID, inserts []store.Insert) *Task {
	for i := range inserts {
		if inserts[i].Task.ID == id {
			return inserts[i].Task
		}
	}
	t, err := c.backend.Get(ctx, id)
	if err != nil {
		return nil
	}
	return t
}

// enqueueEach lets every draft have its own fate.
func (c *Client) enqueueEach(ctx context.Context, drafts []Draft) ([]Receipt, error) {
	receipts := make([]Receipt, len(drafts))
	inserts := make([]store.Insert, 0, len(drafts))
	places := make([]int, 0, len(drafts))
	channel := c.channelFor(ctx)
	for i := range drafts {
		insert, err := c.prepareOf(ctx, drafts[i], "", channel)
		if err != nil {
			receipts[i].Err = c.metrics.refused(attributed(err, ""))
			continue
		}
		inserts, places = append(inserts, insert), append(places, i)
	}
	taken, refused := c.seatsEach(ctx, inserts)
	if len(refused) > 0 {
		inserts, places, taken = c.refuse(receipts, refused, inserts, places, taken)
	}
	if len(inserts) == 0 {
		return receipts, nil
	}
	results, err := c.engine.EnqueueEach(ctx, inserts)
	c.writtenEach(taken, results, err)
	if err != nil {
		return nil, c.metrics.refused(err)
	}
	for i := range results {
		if results[i].Err != nil {
			receipts[places[i]].Err = c.metrics.refused(attributed(results[i].Err, ""))
			continue
		}
		receipts[places[i]] = c.receipt(&inserts[i], &results[i].Items[0])
	}
	c.feedEnqueued(receipts...)
	return receipts, nil
}

// refuse notes on the receipts which tasks are refused, and returns the others.
func (c *Client) refuse(receipts []Receipt, refused map[int]error, inserts []store.Insert, places []int, taken []seats) ([]store.Insert, []int, []seats) {
	n := 0
	for i, place := range places {
		if err := refused[i]; err != nil {
			receipts[place].Err = c.metrics.refused(attributed(err, ""))
			continue
		}
		inserts[n], places[n], taken[n] = inserts[i], place, taken[i]
		n++
	}
	return inserts[:n], places[:n], taken[:n]
}

// receipt turns what the store said into what the caller learns.
func (c *Client) receipt(insert *store.Insert, inserted *store.Inserted) Receipt {
	t, existing := insert.Task, inserted.Existing != nil
	if existing {
		t = inserted.Existing
	}
	if c.metrics != nil {
		c.metrics.enqueued(t, existing)
	}
	if existing {
		return Receipt{Task: t, Existing: true}
	}
	t.State = task.Pending
	t.Seq = inserted.Entry.Seq
	t.RunAt = time.UnixMicro(inserted.Entry.RunAt).UTC()
	t.CreatedAt, t.UpdatedAt = inserted.Created, inserted.Created
	return Receipt{Task: t}
}

// prepare validates a draft and turns it into a row with its place. Nothing
// of the draft is shared with the caller afterwards, except the payload, which
// is only read.
func (c *Client) prepare(ctx context.Context, d Draft, prefix string) (store.Insert, error) {
	return c.prepareOf(ctx, d, prefix, nil)
}

// prepareOf prepares one of several drafts, which share what is known of channels, or with
// nil one alone.
func (c *Client) prepareOf(ctx context.Context, d Draft, prefix string, channel accept.ChannelCheck) (store.Insert, error) {
	d.TraceParent = c.tracer.Keep(ctx, d.TraceParent)
	wrong := accept.Complaints{Prefix: prefix, Policies: c.policiesFor(ctx, &d)}
	if !d.promised && !d.isPlain() {
		if channel == nil {
			channel = c.channelFor(ctx)
		}
		wrong.Channel, wrong.Calls = channel, c.callsOf(ctx)
	}
	now := time.Now()
	d.validate(&wrong, now)
	if !d.promised && d.Target != nil && d.Timeout > c.pushMost && d.Timeout <= maxTimeout { // a schedule's is cut, as a policy's is
		wrong.Add("timeout", d.Timeout.String()+" is longer than a request may take here, "+c.pushMost.String(), "give it less, answer at once and report later, or raise push.max_timeout of the server")
	}
	if !d.ID.IsZero() && (d.ID[6]>>4 != 7 || d.ID[8]>>6 != 2) {
		wrong.Add("id", "is no UUID of version 7", "make it with NewID, or leave it out")
	}
	var queue store.Queue
	if accept.IsName(d.Queue) {
		queue = c.queueOf(ctx, &wrong, "queue", d.Queue)
	}
	if !d.isPlain() {
		for path, follow := range d.follows {
			if accept.IsName(follow.Queue) {
				c.queueOf(ctx, &wrong, path+".queue", follow.Queue)
			}
		}
	}
	target, err := c.registry.targetOf(d.Type, d.Payload, d.Target)
	if err != nil {
		wrong.Add("target", err.Error(), accept.NameHint)
	}
	if err := wrong.Err("the task is invalid"); err != nil {
		return store.Insert{}, err
	}
	if queues, bounded := ctx.Value(queuesKey{}).([]string); bounded {
		if err := allowsDraft(queues, &d, prefix); err != nil {
			return store.Insert{}, err
		}
	}
	return c.place(&d, &queue, target, now), nil
}

// isPlain reports whether a draft names neither addresses nor channels nor other tasks.
func (d *Draft) isPlain() bool {
	return d.Target == nil && len(d.Retry)+len(d.Alert) == 0 && d.Fallback == nil && d.OnSuccess == nil && d.OnDead == nil
}

// follows yields the follow-up tasks with their paths.
func (d *Draft) follows(yield func(path string, follow *task.Follow) bool) {
	_ = (d.Fallback == nil || yield("fallback", d.Fallback)) &&
		(d.OnSuccess == nil || yield("on_success", d.OnSuccess)) &&
		(d.OnDead == nil || yield("on_dead", d.OnDead))
}

// place makes the row of a valid draft.
func (c *Client) place(d *Draft, queue *store.Queue, target string, now time.Time) store.Insert {
	id := d.ID
	if id.IsZero() {
		id = accept.NewID(now)
	}
	t := &task.Task{
		ID:       id.WithLane(accept.LaneOf(queue, id, d.Key, d.DedupeKey)),
		Queue:    d.Queue,
		Type:     d.Type,
		Payload:  d.Payload,
		Priority: task.DefaultPriority,
		Key:      d.Key,
		Target:   target,
		Policy:   d.Policy,
		Spec:     d.spec(now),
	}
	if d.Priority != nil {
		t.Priority = *d.Priority
	}
	insert := store.Insert{Task: t, Delay: d.Delay}
	if d.RunAt.After(now) {
		t.RunAt = accept.CeilMicro(d.RunAt)
	} else if d.Delay == 0 && d.RunAt.IsZero() {
		if policy, err := c.registry.Policy(t); err == nil {
			insert.Delay = policy.FirstRunAfter()
		}
	}
	if d.DedupeKey != "" {
		insert.Dedupe = &store.Dedupe{Lane: accept.KeyLane(queue, d.DedupeKey), Key: d.DedupeKey, Window: t.Spec.DedupeWindow, Content: d.content()}
	}
	return insert
}

// spec is what the store keeps as one value.
func (d *Draft) spec(now time.Time) task.Spec {
	s := task.Spec{
		Timeout:      d.Timeout,
		Metadata:     maps.Clone(d.Metadata),
		HTTP:         d.Target,
		DedupeKey:    d.DedupeKey,
		DedupeWindow: d.DedupeWindow,
		TraceParent:  d.TraceParent,
		Fallback:     d.Fallback,
		OnSuccess:    d.OnSuccess,
		OnDead:       d.OnDead,
	}
	if !absent(d.Retry) {
		s.Retry = slices.Clone(d.Retry)
	}
	if s.DedupeKey != "" && s.DedupeWindow == 0 {
		s.DedupeWindow = task.DefaultDedupeWindow
	}
	if !absent(d.Alert) {
		s.Alert = slices.Clone(d.Alert)
	}
	if d.MaxAttempts != nil {
		s.MaxAttempts = *d.MaxAttempts
	}
	switch {
	case !d.Deadline.IsZero():
		s.Deadline = accept.CeilMicro(d.Deadline)
	case d.TTL > 0:
		s.Deadline = accept.CeilMicro(now.Add(d.TTL))
	}
	if d.Target != nil {
		request := *d.Target
		request.Headers = maps.Clone(request.Headers)
		s.HTTP = &request
	}
	return s
}

// queueOf finds a queue. One that is not known is looked for on disk, but not
// at every call, so that a wrong name cannot keep the database busy.
func (c *Client) queueOf(ctx context.Context, wrong *accept.Complaints, path, name string) store.Queue {
	queue, ok := c.engine.Queue(name)
	if !ok && c.refreshed.allow(200*time.Millisecond) {
		if err := c.engine.Refresh(ctx); err == nil {
			queue, ok = c.engine.Queue(name)
		}
	}
	if isInternal(name) {
		wrong.Add(path, "the queue "+name+" is that of the engine's own alerts", "name another queue")
	} else if !ok || len(queue.Numbers) == 0 {
		wrong.Add(path, "there is no queue "+task.Quote(name), cmp.Or(c.nearestQueue(name), "create it first: outlast queue create NAME, PUT /v1/queues/{name} or Inspector().Queues.Put"))
	}
	return queue
}

// nearestQueue is a hint with the queue that has nearly this name, "" without one.
func (c *Client) nearestQueue(name string) string {
	var names []string
	for i := range c.engine.Topology().Queues {
		names = append(names, c.engine.Topology().Queues[i].Name)
	}
	if near := hints.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}
