// Command retry is what a Go program with a call under a policy links at least.
package main

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

func main() {
	policy, err := retry.New(retry.Attempts(3), retry.Exponential(time.Second, 2, time.Minute))
	if err != nil {
		panic(err)
	}
	if err := retry.Do(context.Background(), policy, func(context.Context) error { return nil }); err != nil {
		panic(err)
	}
}
