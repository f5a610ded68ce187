package token

import "slices"

// Role says what the bearer of a token may do.
type Role string

// The roles.
const (
	Viewer   Role = "viewer"   // looks at everything
	Operator Role = "operator" // looks, enqueues, and acts on tasks, queues and targets
	Admin    Role = "admin"    // everything, configuration and tokens included
	Enqueuer Role = "enqueuer" // enqueues tasks and follows them by their ids
	Worker   Role = "worker"   // takes tasks, settles them, and joins worker groups
)

// Roles are all roles.
var Roles = []Role{Viewer, Operator, Admin, Enqueuer, Worker}

// Permission is what a route asks for.
type Permission string

// The permissions.
const (
	Open       Permission = "open"       // nothing, not even a token
	Peer       Permission = "peer"       // the wake key of the node, which only those know who can read the database
	Known      Permission = "known"      // any token
	Follow     Permission = "follow"     // to look at a task by its id
	View       Permission = "view"       // to look at everything else
	Enqueue    Permission = "enqueue"    // to enqueue tasks
	Work       Permission = "work"       // to take tasks and settle them
	Operate    Permission = "operate"    // to act on tasks, queues and targets, and to read the audit log
	Administer Permission = "administer" // to change configuration and tokens
)

// Permissions are all permissions, from the least to the greatest.
var Permissions = []Permission{Open, Peer, Known, Follow, View, Enqueue, Work, Operate, Administer}

var granted = map[Role][]Permission{
	Viewer:   {Known, Follow, View},
	Operator: {Known, Follow, View, Enqueue, Operate},
	Admin:    {Known, Follow, View, Enqueue, Work, Operate, Administer},
	Enqueuer: {Known, Follow, Enqueue},
	Worker:   {Known, Work},
}

// May reports whether the role has a permission. No role has what is not
// listed; [Open] and [Peer] need none.
func (r Role) May(p Permission) bool { return slices.Contains(granted[r], p) }
