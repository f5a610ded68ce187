package outlast

import (
	"context"
	"crypto/sha256"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/task"
)

// Group is a group of tasks, its members, with one callback: a task that is enqueued once when
// the group is closed and all members have ended, whatever their outcome. Make it with
// [NewGroup]. It is safe for concurrent use, and has up to 100 000 members.
//
// It is durable: members are counted in the transactions in which they are accepted and end,
// and the callback is enqueued once, however often nodes die meanwhile. A member that is dead
// counts as such; sent back before the group is done, it is waited for again.
type Group struct {
	client *Client
	id     ID
}

// NewGroup makes a group that is open. The callback is a definition, whose task gets the
// counts; with nil, group.Callback says what it is, such as an HTTP request. Of group only ID, Label
// and Callback are looked at.
//
// With an ID that the caller keeps, a program that was killed does all again: NewGroup answers with
// the group that is there, members with ids of their own ([Group.Member]) are accepted once,
// and Close may be repeated. Without one it is made here.
func NewGroup(ctx context.Context, c *Client, group task.Group, callback takes[task.GroupEnded]) (*Group, error) {
	if err := c.accepting(ctx, false); err != nil {
		return nil, err
	}
	if callback != nil {
		group.Callback = *callback.follow()
	}
	made, err := c.inspector.TaskGroups.Create(ctx, group)
	if err != nil {
		return nil, err
	}
	return &Group{c, made.ID}, nil
}

// Group is a group that was made before, here or elsewhere. Whether it is there is told by what
// is done with it.
func (c *Client) Group(id ID) *Group { return &Group{c, id} }

// ID is that of the group.
func (g *Group) ID() ID { return g.id }

// Member is an id for a member, which follows from the group and a name that the caller knows it
// by: a repeat of the enqueue with it is the same task.
func (g *Group) Member(name string) ID {
	sum := sha256.New()
	sum.Write(g.id[:])
	accept.HashText(sum, name)
	random := accept.FixedRand(sum.Sum(nil))
	return task.NewID(g.id.Time(), &random)
}

// groupChunk is how many members are accepted together.
const groupChunk = 1000

// Enqueue accepts members, in portions of 1000 that are accepted whole or not at all. With an
// error it returns the receipts of those before; a group that is closed has the code
// "conflict". Members have no dedupe keys: give them ids.
func (g *Group) Enqueue(ctx context.Context, drafts ...Draft) ([]Receipt, error) {
	receipts := make([]Receipt, 0, len(drafts))
	for from := 0; from < len(drafts); from += groupChunk {
		some, err := g.client.EnqueueMany(ctx, g.members(drafts[from:min(from+groupChunk, len(drafts))]), true)
		if err != nil {
			return receipts, enqueue.Behind(err, from)
		}
		receipts = append(receipts, some...)
	}
	return receipts, nil
}

// EnqueueIn accepts members inside the caller's transaction; see [Client.EnqueueIn]. Close
// waits for the transaction.
func (g *Group) EnqueueIn(ctx context.Context, tx any, drafts ...Draft) ([]Receipt, error) {
	return g.client.EnqueueIn(ctx, tx, g.members(drafts)...)
}

func (g *Group) members(drafts []Draft) []Draft {
	members := make([]Draft, len(drafts))
	for i := range drafts {
		members[i] = drafts[i]
		members[i].Group = g.id
	}
	return members
}

// Close says that no more members come. When all that came have ended, or none came, the callback is
// enqueued. A repeat does nothing.
func (g *Group) Close(ctx context.Context) error {
	if err := g.client.accepting(ctx, false); err != nil {
		return err
	}
	_, err := g.client.inspector.TaskGroups.Close(ctx, g.id)
	return err
}

// Status is the group as it stands, with its members by outcome.
func (g *Group) Status(ctx context.Context) (*task.Group, error) {
	return g.client.inspector.TaskGroups.Get(ctx, g.id)
}
