package retry

// Category says what kind of failure an attempt met. It decides whether and
// when the operation is retried.
type Category string

// The categories. Each comment names typical causes and the advice followed by a
// policy that has no rule of its own for the category.
const (
	// Permanent will fail again however often it is tried: bad request,
	// validation, not found, refused credentials, integrity violation. Never.
	Permanent Category = "permanent"
	// Canceled was stopped by the caller. Never.
	Canceled Category = "canceled"
	// Deadline has no time left. Never.
	Deadline Category = "deadline"
	// Unsent did not reach the receiver: dial refused, temporary DNS failure,
	// GOAWAY. Fast once, then by the policy.
	Unsent Category = "unsent"
	// Conflict lost against a concurrent operation: deadlock, serialization
	// failure, lock timeout, failed compare-and-swap. Fast, the whole unit again.
	Conflict Category = "conflict"
	// Network broke under way: reset, unexpected end, broken pipe. By the policy.
	Network Category = "network"
	// Timeout is an attempt that took too long. By the policy.
	Timeout Category = "timeout"
	// Throttled was refused because of too many requests. After the receiver's
	// hint, else after at least one second.
	Throttled Category = "throttled"
	// Unavailable is a receiver that cannot serve now: 502, 503, 504, starting
	// up, failing over. By the policy.
	Unavailable Category = "unavailable"
	// Local is a lack of resources on this side: descriptors, disk, memory. By
	// the policy, and somebody should be told.
	Local Category = "local"
	// Bug is a panic or a broken invariant. Durable tasks retry it by the policy.
	Bug Category = "bug"
	// Unknown is what nothing recognized. Durable tasks retry it by the policy.
	Unknown Category = "unknown"
)

// Effect says whether the failed attempt may have done its work, and so whether
// repeating an operation that is not idempotent would be safe.
type Effect string

const (
	// NotSent means the receiver certainly did not process the request.
	NotSent Effect = "not_sent"
	// Maybe means nobody knows.
	Maybe Effect = "maybe"
	// Done means the receiver processed the request and reported a failure.
	Done Effect = "done"
)

// Advice is what a category means to a policy without a rule for it, to circuit
// breakers and to retry budgets.
type Advice struct {
	// Retry tells whether a durable task is retried.
	Retry bool
	// Breaker tells whether the failure counts against the target's breaker.
	Breaker bool
	// Cost is the number of budget tokens that a retry takes. For [Unsent] it is
	// the price after the first retry, which is free while the target is healthy;
	// see [Budget.Price].
	Cost float64
}

// categoryAdvice lists the categories in the order of the documentation.
var categoryAdvice = []struct {
	category Category
	advice   Advice
}{
	{Permanent, Advice{}},
	{Canceled, Advice{}},
	{Deadline, Advice{}},
	{Unsent, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Conflict, Advice{Retry: true, Cost: 0.1}},
	{Network, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Timeout, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Throttled, Advice{Retry: true, Cost: 0.4}},
	{Unavailable, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Local, Advice{Retry: true, Cost: 1}},
	{Bug, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Unknown, Advice{Retry: true, Breaker: true, Cost: 1}},
}

// Categories returns all categories in the order of the documentation. The
// caller owns the slice.
func Categories() []Category {
	all := make([]Category, len(categoryAdvice))
	for i, row := range categoryAdvice {
		all[i] = row.category
	}
	return all
}

// Valid reports whether c is one of [Categories].
func (c Category) Valid() bool {
	for _, row := range categoryAdvice {
		if row.category == c {
			return true
		}
	}
	return false
}

// Advice returns what c means by default. A category that is not one of
// [Categories], the empty one included, is treated as [Unknown].
func (c Category) Advice() Advice {
	for _, row := range categoryAdvice {
		if row.category == c {
			return row.advice
		}
	}
	return categoryAdvice[len(categoryAdvice)-1].advice
}
