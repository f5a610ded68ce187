package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// greet says hello, once somebody has been asked.
func greet(ctx context.Context, t *client.LeasedTask) (any, error) {
	name, err := client.DoStep(ctx, "ask", func(context.Context) (string, error) { return "Ada", nil })
	if err != nil {
		return nil, err
	}
	if t.Attempt == 1 {
		return nil, errors.New("the mail server is away")
	}
	return "Hello " + name, nil
}

func TestGreet(t *testing.T) {
	first := client.Try(t.Context(), greet, client.LeasedTask{Task: client.Task{Attempt: 1}})
	if first.Outcome != "failed" || len(first.Steps) != 1 {
		t.Errorf("%+v", first)
	}
	second := client.Try(t.Context(), greet, client.LeasedTask{Task: client.Task{Attempt: 2, Steps: first.Steps}})
	if second.Outcome != "succeeded" || string(second.Result) != `"Hello Ada"` {
		t.Errorf("%+v", second)
	}
}

func ExampleTry() {
	verdict := client.Try(context.Background(), greet, client.LeasedTask{Task: client.Task{Attempt: 2}})
	fmt.Println(verdict.Outcome, string(verdict.Result))
	// Output: succeeded "Hello Ada"
}
