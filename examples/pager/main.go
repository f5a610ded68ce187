// Command pager tells a person about a mail that cannot be sent, through a Go
// function as a channel: once, however many there are, and then how many more.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	_ "github.com/outlast-dev/outlast/cel" // reads conditions
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store/memory"
)

func main() {
	if err := example(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// Mail is what the task carries.
type Mail struct{ To string }

func send(context.Context, Mail) error { return errors.New("no such mailbox") }

func example(ctx context.Context) error {
	told := make(chan *alert.Message, 10)
	page := func(_ context.Context, m *alert.Message) error {
		told <- m
		return nil
	}
	store := memory.New()
	client, err := outlast.Open(ctx, store, outlast.WithAlertFunc("pager", page)) // a Go function as a channel
	if err != nil {
		return err
	}
	outlast.Handle(client, "mail.send", send, outlast.MaxAttempts(1), outlast.AlertTo("pager"))
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends
	cooldown := retry.Duration(2 * time.Second)
	if _, err := client.Inspector().Alerts.Rules.Put(ctx, alert.Rule{
		Name: "exhausted", On: alert.OnDead, When: `reason == "exhausted"`, Channels: []string{"pager"}, Cooldown: &cooldown,
	}); err != nil {
		return err
	}
	for _, to := range []string{"ada", "bob", "cid"} {
		if _, err := client.Enqueue(ctx, outlast.Draft{Type: "mail.send", Payload: fmt.Appendf(nil, `{"To": %q}`, to)}); err != nil {
			return err
		}
	}
	for range 2 { // of the first, by rule and type in one, and what was held back
		m := <-told
		fmt.Printf("%s: %s, %d more\n", m.Rule, m.Subject, m.HeldBack)
	}
	return nil
}
