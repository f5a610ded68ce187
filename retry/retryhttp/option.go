package retryhttp

import (
	"net/http"

	"github.com/outlast-dev/outlast/retry"
)

// Option changes a [Transport].
type Option func(*Transport)

// Targets protects each host with the guards of its own target in the registry.
// They replace those of the policy. A target is named by the host in lower case,
// with its port unless that is the scheme's own: two services on one host are two
// targets. IPv6 addresses have brackets only before a port.
func Targets(targets *retry.Targets) Option { return func(t *Transport) { t.targets = targets } }

// TargetName replaces the host as the name of a request's target. The number of
// names should be small: guards learn from what they see. It says something beside
// [Targets] only.
func TargetName(name func(*http.Request) string) Option {
	return func(t *Transport) { t.nameOf = name }
}

// Buffer says how many bytes of a body without GetBody are kept for repeats.
// Default [DefaultBuffer]; 0 keeps none.
func Buffer(bytes int64) Option { return func(t *Transport) { t.buffer = max(bytes, 0) } }

// Answers classifies answers before [retry.ClassifyHTTP]: those for which it
// returns true are failures with that verdict. Use it for servers that report
// failures with status 200, or for a 409 that means that the first request with
// the same idempotency key is still at work. It must not read the body.
func Answers(classify func(*http.Response) (retry.Verdict, bool)) Option {
	return func(t *Transport) { t.classify = classify }
}

// IdempotentIf says which requests may be repeated although neither method nor
// header says so, such as queries by POST. It must not read the body.
func IdempotentIf(is func(*http.Request) bool) Option {
	return func(t *Transport) { t.isIdempotent = is }
}

// NoHeaders sends no headers about attempts and deadlines.
func NoHeaders() Option { return func(t *Transport) { t.silent = true } }
