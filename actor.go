package outlast

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// actor is who acts, for the audit log.
type actor struct{ name, address, request string }

type actorKey struct{}

// WithActor names who acts through calls with the context, for the audit log:
// the name of a token or program, its address and the id of its request. Without
// it, "library" acts.
func WithActor(ctx context.Context, name, address, request string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor{name, address, request})
}

func actorOf(ctx context.Context) actor {
	if a, ok := ctx.Value(actorKey{}).(actor); ok {
		return a
	}
	return actor{name: "library"}
}

// audited is a row of the audit log without before and after.
func audited(ctx context.Context, action, subject string) store.Audit {
	a := actorOf(ctx)
	return store.Audit{Actor: a.name, Address: a.address, Request: a.request, Action: action, Subject: subject}
}
