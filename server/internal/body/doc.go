// Package body takes in the bodies of requests: within a deadline and a bound of the node's
// memory, and as strict JSON.
package body
