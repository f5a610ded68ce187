// Package plan says what a retry policy will do before anything fails: its
// delays and their bounds under the jitter, how likely it is to succeed, the load
// that it puts on a target that is down, how well it keeps clients apart, and
// what is wrong with it.
//
// [Of] plans a policy, [Solve] finds the largest first interval, multiplier or
// number of retries that fits a time limit, [Fit] names the presets that do.
// [Report.SVG] draws the plan. Everything is a pure function of its arguments,
// and safe for concurrent use.
//
// Notation: f is the probability that an attempt fails, N the number of retries,
// F the first interval, M the multiplier, d(n) the wait before retry n. Attempts
// are assumed to fail independently of each other. In an outage they do not:
// success then comes with the end of the outage, and only the load is as said.
//
// Stability: stable. Names and their meaning stay within a major version.
package plan
