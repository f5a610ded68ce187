package retrygrpc

import (
	"context"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/outlast-dev/outlast/retry"
)

// keyAttempts is the metadata by which a repeat says how many attempts came before
// it (gRPC proposal A6). A first attempt does not send it.
const keyAttempts = "grpc-previous-rpc-attempts"

// client is what the interceptors of a connection have in common.
type client struct {
	policy         *retry.Policy
	targets        *retry.Targets
	nameOf         func(*grpc.ClientConn, string) string
	methods        map[string]bool
	isIdempotent   func(method string) bool
	replayMessages int
	replayBytes    int
	silent         bool
	alone          bool // nobody else repeats calls of this connection
	ownPolicy      bool // the service configuration does not count
	declared       sync.Map
	variants       sync.Map // of the policy, by retryPolicy
}

func newClient(policy *retry.Policy, opts []Option) *client {
	if policy == nil {
		policy = DefaultPolicy()
	}
	c := &client{
		policy: policy, methods: map[string]bool{}, nameOf: func(conn *grpc.ClientConn, _ string) string { return conn.Target() },
		replayMessages: DefaultReplayMessages, replayBytes: DefaultReplayBytes,
	}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// DialOptions are the options of [grpc.NewClient] with which all calls of a
// connection are repeated as the policy says, nil being [DefaultPolicy]: the two
// interceptors, after those that were chained before, and [grpc.WithDisableRetry].
// What service configurations say of retries is taken over; see [OwnPolicy].
func DialOptions(policy *retry.Policy, opts ...Option) []grpc.DialOption {
	c := newClient(policy, opts)
	c.alone = true
	return []grpc.DialOption{grpc.WithDisableRetry(), grpc.WithChainUnaryInterceptor(c.unary), grpc.WithChainStreamInterceptor(c.stream)}
}

// UnaryClient is the interceptor of [DialOptions] for unary calls, by itself. The
// retries of service configurations then multiply with its own, and it does not
// know whether gRPC has sent anything, so that calls without a connection are
// repeated like others that fail with UNAVAILABLE: only if idempotent.
func UnaryClient(policy *retry.Policy, opts ...Option) grpc.UnaryClientInterceptor {
	return newClient(policy, opts).unary
}

// StreamClient is the interceptor of [DialOptions] for streams, by itself; see
// [UnaryClient].
func StreamClient(policy *retry.Policy, opts ...Option) grpc.StreamClientInterceptor {
	return newClient(policy, opts).stream
}

// call is what the attempts of one call have in common.
type call struct {
	*client
	conn    *grpc.ClientConn
	method  string
	config  retryPolicy
	policy  *retry.Policy
	learned bool // config and policy are new: the operation is to begin anew under them
	before  int  // attempts of outer operations that came before this one
	number  int
}

func (c *client) newCall(ctx context.Context, conn *grpc.ClientConn, method string) *call {
	call := &call{client: c, conn: conn, method: method, config: c.configured(conn, method)}
	call.policy = c.under(call.config)
	if outer, ok := retry.Outer(ctx); ok {
		call.before = max(outer.Attempt-1, 0)
	}
	return call
}

// options are those of [retry.Do] for a call.
func (c *client) options(conn *grpc.ClientConn, method string, opts []grpc.CallOption) []retry.CallOption {
	var out []retry.CallOption
	if c.targets != nil {
		out = append(out, retry.For(c.targets.Get(c.nameOf(conn, method), time.Now())))
	}
	var safe retry.CallOption
	if _, declared := c.policy.DeclaredIdempotent(); !declared && c.isDeclared(method) {
		safe = retry.Idempotent()
	}
	for _, opt := range opts {
		if own, ok := opt.(callOption); ok {
			safe = own.safe
		}
	}
	if safe != nil {
		out = append(out, safe)
	}
	if c.alone && !c.ownPolicy {
		out = append(out, onlyOnce)
	}
	return out
}

// isDeclared reports whether the method is declared idempotent.
func (c *client) isDeclared(method string) bool {
	if c.methods[method] || c.methods[method[:lastSlash(method)+1]] {
		return true
	}
	if c.isIdempotent != nil && c.isIdempotent(method) {
		return true
	}
	known, ok := c.declared.Load(method)
	if !ok {
		known, _ = c.declared.LoadOrStore(method, inProto(method))
	}
	return known.(bool)
}

func lastSlash(method string) int {
	for i := len(method) - 1; i >= 0; i-- {
		if method[i] == '/' {
			return i
		}
	}
	return -1
}

// inProto looks up the option idempotency_level of the method's descriptor.
func inProto(method string) bool {
	slash := lastSlash(method)
	if slash < 1 {
		return false
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(method[1:slash]))
	if err != nil {
		return false
	}
	service, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return false
	}
	descriptor := service.Methods().ByName(protoreflect.Name(method[slash+1:]))
	if descriptor == nil {
		return false
	}
	options, ok := descriptor.Options().(*descriptorpb.MethodOptions)
	return ok && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}

// announced is the context of the attempt with its number in the metadata.
func (c *call) announced(ctx context.Context) context.Context {
	c.number++
	previous := c.before + c.number - 1
	if c.silent || previous == 0 {
		return ctx
	}
	sent, _ := metadata.FromOutgoingContext(ctx)
	sent = sent.Copy()
	if sent == nil {
		sent = metadata.MD{}
	}
	sent.Set(keyAttempts, strconv.Itoa(previous))
	return metadata.NewOutgoingContext(ctx, sent)
}
