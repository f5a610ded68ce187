package retrygrpc

import (
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/outlast-dev/outlast/retry"
)

// How much of what a stream has sent is kept to be sent again.
const (
	DefaultReplayMessages = 100
	DefaultReplayBytes    = 64 << 10
)

// Option changes the client's interceptors.
type Option func(*client)

// IdempotentMethods declares methods idempotent: "/package.Service/Method", or
// "/package.Service/" for all of a service.
func IdempotentMethods(names ...string) Option {
	return func(c *client) {
		for _, name := range names {
			c.methods["/"+strings.TrimPrefix(name, "/")] = true
		}
	}
}

// IdempotentIf declares methods idempotent for which it returns true. The method is
// in the form "/package.Service/Method".
func IdempotentIf(is func(method string) bool) Option {
	return func(c *client) { c.isIdempotent = is }
}

// Targets protects each target with its guards in the registry. They replace those
// of the policy.
func Targets(targets *retry.Targets) Option { return func(c *client) { c.targets = targets } }

// TargetName replaces the target of the connection, as it was given to
// [grpc.NewClient], as the name of the call's target. It says something beside [Targets]
// only.
func TargetName(name func(conn *grpc.ClientConn, method string) string) Option {
	return func(c *client) { c.nameOf = name }
}

// Replay says how much of what a stream has sent is kept to be sent again: a number
// of messages, and of bytes as protobuf encodes them (other messages count as
// none). What is beyond makes the stream one that is not repeated.
func Replay(messages, bytes int) Option {
	return func(c *client) { c.replayMessages, c.replayBytes = max(messages, 0), max(bytes, 0) }
}

// OwnPolicy keeps to the policy of [DialOptions], whatever the service configuration of
// the connection says of retries. Without it, the retryPolicy of a method there replaces
// attempts and waits, and only the codes that it lists are repeated, besides calls that
// reached no server; those it lists are repeated unless the call, its method or the
// policy is declared not idempotent.
func OwnPolicy() Option { return func(c *client) { c.ownPolicy = true } }

// NoMetadata sends no grpc-previous-rpc-attempts.
func NoMetadata() Option { return func(c *client) { c.silent = true } }

// callOption declares one call.
type callOption struct {
	grpc.EmptyCallOption
	safe retry.BothOption
}

// Idempotent declares that repeating the call does no harm.
func Idempotent() grpc.CallOption { return callOption{safe: retry.Idempotent()} }

// NotIdempotent declares that the call may be repeated only where no server has seen
// it, whatever is said of its method.
func NotIdempotent() grpc.CallOption { return callOption{safe: retry.NotIdempotent()} }

// DefaultPolicy is 3 attempts, 100 ms × 2 with full jitter, and hints of servers up
// to 30 s. It bounds neither an attempt nor all of them together: contexts do.
func DefaultPolicy() *retry.Policy {
	policy, err := retry.New(retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 30*time.Second), retry.FullJitter())
	if err != nil {
		panic("retrygrpc: the default policy is refused: " + err.Error())
	}
	return policy
}
