package inspect

import (
	"context"
	"slices"
	"time"
)

// Tokens makes, shows and revokes tokens of the API, and checks those of requests.
type Tokens interface {
	// Create makes a token for the API of servers and returns its secret, which
	// is shown this once. As soon as there is one, every request needs one. Codes
	// "invalid" with fields, and "conflict" when there are too many.
	Create(ctx context.Context, spec TokenSpec) (*Token, TokenSecret, error)
	// List lists all tokens by name, also those that expired or were revoked
	// within the last 90 days.
	List(ctx context.Context) ([]Token, error)
	// Revoke ends a token for good, within 2 seconds on all nodes. Code
	// "not_found".
	Revoke(ctx context.Context, id string) (*Token, error)
	// Check returns the live token of a text. Code "unauthenticated" when there is
	// none, "unavailable" when that cannot be known: the store has not answered for
	// 30 seconds. Up to then what it said last holds.
	Check(ctx context.Context, text string) (*Token, error)
	// Required reports whether requests need a token: as soon as one was ever made,
	// also when it has expired or was revoked, or the rows of all are gone since: somebody
	// has taken them out of the database. Code "unavailable" when that cannot be known.
	Required(ctx context.Context) (bool, error)
	// Live reports whether the store has a live token, so that somebody can get in.
	Live(ctx context.Context) (bool, error)
}

// TokenSpec is what a new token is to be.
type TokenSpec struct {
	// ID is 8 of the characters a-z and 2-7, chosen at random; one is made when it
	// is empty. Who gives it knows what to revoke when the answer is lost.
	ID     string
	Name   string // for people: 1 to 128 characters
	Role   Role
	Queues []string      // all when empty
	TTL    time.Duration // for ever when 0
}

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

// Token is what is known of a token beside its secret.
type Token struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	Queues    []string  `json:"queues,omitempty"` // all when empty
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by,omitempty"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // never when zero
	RevokedAt time.Time `json:"revoked_at,omitzero"`
	RevokedBy string    `json:"revoked_by,omitempty"`
}

// Prefix is what the text of the token begins with. It is no secret.
func (t *Token) Prefix() string { return "olt_" + t.ID }

// TokenState says whether a token is good.
type TokenState string

// The states of a token.
const (
	TokenLive    TokenState = "live"
	TokenExpired TokenState = "expired"
	TokenRevoked TokenState = "revoked"
)

// State is that at a time.
func (t *Token) State(now time.Time) TokenState {
	switch {
	case !t.RevokedAt.IsZero():
		return TokenRevoked
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return TokenExpired
	}
	return TokenLive
}

// Scoped reports whether the token is for certain queues only.
func (t *Token) Scoped() bool { return len(t.Queues) > 0 }

// Covers reports whether the token is for a queue.
func (t *Token) Covers(queue string) bool { return !t.Scoped() || slices.Contains(t.Queues, queue) }

// Actor is how the audit log names the bearer: id and name.
func (t *Token) Actor() string { return "token " + t.ID + " (" + t.Name + ")" }

// TokenSecret is the text of a token that its bearer sends. It shows itself only to
// Reveal: logs, errors and JSON get its id.
type TokenSecret interface {
	// Reveal returns the text.
	Reveal() string
	// String shows which token it is, and no secret.
	String() string
}

// Permission is what a route asks for.
type Permission string

// The permissions.
const (
	PermissionOpen       Permission = "open"       // nothing, not even a token
	PermissionPeer       Permission = "peer"       // the wake key of the node, which only those know who can read the database
	PermissionKnown      Permission = "known"      // any token
	PermissionFollow     Permission = "follow"     // to look at a task by its id
	PermissionView       Permission = "view"       // to look at everything else
	PermissionEnqueue    Permission = "enqueue"    // to enqueue tasks
	PermissionWork       Permission = "work"       // to take tasks and settle them
	PermissionOperate    Permission = "operate"    // to act on tasks, queues and targets, and to read the audit log
	PermissionAdminister Permission = "administer" // to change configuration and tokens
)
