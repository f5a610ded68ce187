// Package actor is who acts through a call, for the audit log.
package actor

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// actor is one who acts.
type actor struct{ name, address, request string }

type key struct{}

// With names who acts through calls with the context.
func With(ctx context.Context, name, address, request string) context.Context {
	return context.WithValue(ctx, key{}, actor{name, address, request})
}

func of(ctx context.Context) actor {
	if a, ok := ctx.Value(key{}).(actor); ok {
		return a
	}
	return actor{name: "library"}
}

// Name is who acts through calls with the context: "library" where nobody has said.
func Name(ctx context.Context) string { return of(ctx).name }

// Audit is a row of the audit log without before and after.
func Audit(ctx context.Context, action, subject string) store.Audit {
	a := of(ctx)
	return store.Audit{Actor: a.name, Address: a.address, Request: a.request, Action: action, Subject: subject}
}
