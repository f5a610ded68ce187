package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// A tenant travels with each task from who enqueues it to its handler, and a call without
// one is refused.
func ExampleWithMiddleware() {
	type tenantKey struct{}
	tenants := outlast.Middleware{
		Enqueue: func(ctx context.Context, all []outlast.Draft, next func(context.Context, []outlast.Draft) ([]outlast.Receipt, error)) ([]outlast.Receipt, error) {
			tenant, ok := ctx.Value(tenantKey{}).(string)
			if !ok {
				return nil, &outlast.Error{Code: task.CodeDenied, Message: "no tenant enqueues this"}
			}
			for i := range all {
				all[i].Metadata["tenant"] = tenant
			}
			return next(ctx, all)
		},
		Handle: func(ctx context.Context, payload []byte, next func(context.Context, []byte) error) error {
			info, _ := outlast.Info(ctx)
			return next(context.WithValue(ctx, tenantKey{}, info.Metadata["tenant"]), payload)
		},
	}
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New(), outlast.WithMiddleware(tenants))
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "mail.send", func(ctx context.Context, to string) error {
		fmt.Println("to", to, "for", ctx.Value(tenantKey{}))
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	draft := outlast.Draft{Type: "mail.send", Payload: []byte(`"ada"`)}
	if _, err := client.Run(context.WithValue(ctx, tenantKey{}, "acme"), draft); err != nil {
		log.Fatal(err)
	}
	_, err = client.Run(ctx, draft)
	fmt.Println(err)
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// to ada for acme
	// no tenant enqueues this
}

// errClosed is what an API says outside of its hours.
var errClosed = errors.New("the service is closed")

// What a type's errors mean is said once, around its handler.
func ExampleAround() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "invoice.send", func(context.Context, string) error { return errClosed },
		outlast.Around(func(ctx context.Context, payload []byte, next func(context.Context, []byte) error) error {
			err := next(ctx, payload)
			if errors.Is(err, errClosed) {
				return outlast.GiveUp(err)
			}
			return err
		}))
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = client.Run(ctx, outlast.Draft{Type: "invoice.send", Payload: []byte(`"17"`)})
	dead := new(outlast.DeadError)
	fmt.Println(errors.As(err, &dead), dead.Reason, dead.Attempt)
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: true rejected 1
}

// An observer finds in its context what the caller has put there, and with
// WithTracerProvider the span, so that a line of the log is tied to its trace.
func ExampleWithObserver() {
	type requestKey struct{}
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New(), outlast.WithObserver(outlast.Observer{
		Enqueued: func(ctx context.Context, t *outlast.Task, existing bool) {
			fmt.Println(t.Type, "by request", ctx.Value(requestKey{}))
		},
		AttemptStarted: func(ctx context.Context, t *outlast.Task, late time.Duration) {
			fmt.Println(t.Type, "attempt", t.Attempt)
		},
	}))
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "mail.send", func(context.Context, string) error { return nil })
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := client.Run(context.WithValue(ctx, requestKey{}, "r-17"), outlast.Draft{Type: "mail.send", Payload: []byte(`"ada"`), Delay: 10 * time.Millisecond}); err != nil {
		log.Fatal(err)
	}
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// mail.send by request r-17
	// mail.send attempt 1
}
