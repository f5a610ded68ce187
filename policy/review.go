package policy

// Review names what of the policies and types may not be meant, as "policy/NAME" and
// "type/NAME", in the order of the names. Lists are nil where there is nothing.
type Review struct {
	// Once are those without retries. Empty where retries are off for all, which
	// is said elsewhere.
	Once []string
	// Endless are those without a limit for each attempt: one that hangs keeps its
	// slot until the node stops. HTTP requests have 30 s all the same. The built-in
	// default policy is none of them: the types that follow it are.
	Endless []string
	// Silent are those of which no rule tells when a task is out of attempts. The
	// count of dead letters, which says nothing of a task, does not count.
	Silent []string
}
