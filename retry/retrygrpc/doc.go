// Package retrygrpc repeats gRPC calls as a [retry.Policy] says, and lets servers
// see and refuse repeats.
//
// # Client
//
//	conn, err := grpc.NewClient(target, append(retrygrpc.DialOptions(policy), …)...)
//
// DialOptions adds an interceptor for unary calls and one for streams, and turns the
// retries of gRPC itself off, so that they do not multiply. (Its transparent retry of
// calls that no server has seen stays; it follows no policy.)
//
// Service configurations. What one says of the retries of a method, given as an option
// or by the resolver, is taken over: its attempts, its waits, spread by a fifth as gRPC
// does, and its codes. Such a code is repeated although the server may have worked on
// the call, because who wrote the configuration says so, and no other one is; see
// [OwnPolicy]. Guards, times, rules and observers stay those of the policy. The
// retryThrottling of a configuration is not: gRPC shows it to nobody. A [retry.Budget]
// does what it is for. An interceptor by itself leaves all of this to gRPC.
//
// What is repeated. Codes are judged by [retry.ClassifyGRPC]. A call that the server
// may have worked on is repeated only if its method is idempotent: declared by
// [Idempotent] for the call, by the policy ([retry.Idempotent]), by
// [IdempotentMethods] or [IdempotentIf] for the connection, or in the .proto file by
// the option idempotency_level; the first of these that says something decides. By
// default no method is. Calls that certainly reached no server are repeated in any case: no
// connection, REFUSED_STREAM, GOAWAY. RESOURCE_EXHAUSTED is repeated only when the
// server says when, by pushback or RetryInfo. ABORTED asks for something larger than
// the call again, a read-modify-write, and is not repeated here: a [retry.Do] around
// the whole of it sees a [retry.Conflict].
//
// Pushback. The trailer grpc-retry-pushback-ms (gRPC proposal A6) is the least wait;
// negative, unreadable or repeated it forbids a repeat. google.rpc.RetryInfo among
// the details is a least wait, too.
//
// Time. The policy's timeout of an attempt ([retry.PerAttempt]) is the deadline of a
// unary call, which gRPC tells the server. Of a stream it bounds the time until the
// first message.
//
// Streams are repeated until the first message or the header has been received; what
// had been sent is sent again, as long as it is not more than [Replay] allows. With
// the first message the call counts as a success for the guards.
//
// What comes back is an [*Error]. It has the status of the last attempt, so that
// status.Code and status.FromError give what they would give without this package,
// and holds the [*retry.Error].
//
// Every repeat sends grpc-previous-rpc-attempts, counted on from the attempt of an
// outer operation that the call is a part of.
//
// # Server
//
// [UnaryServer] and [StreamServer] read that number and put the attempt and the
// deadline into the context of the call: inside a repeat, what the handler calls
// through this module repeats only what was not sent. They can refuse repeats: see
// [RefuseWhileOpen], [RefuseOverBudget] and [LeastTime].
//
// Stability: stable. Names and their meaning stay within a major version.
package retrygrpc
