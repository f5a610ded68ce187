// Package compare holds what the comparison page says as tests: each claim is
// run against the peer that it is about, at the version in go.mod, and against
// Outlast. A peer's test asserts what the page says that the peer did, good or
// bad; so a claim that a new version makes untrue fails here before anybody
// reads it.
//
// docs/explanation/comparison.md is made from the same values:
//
//	go test ./compare -run TestPage -update
package compare

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// claim is one thing that Outlast promises and that peers were said not to do.
type claim struct {
	name string // of the test
	what string // the promise, a sentence
	how  string // what the test does
	ours string // what Outlast did
	// outlast fails when ours is not so.
	outlast func(t *testing.T)
	peers   []rival
}

// rival is what one peer did.
type rival struct {
	peer peer
	did  string
	// confirmed tells that the peer shows the defect it was said to have. When it
	// does not, the page says so.
	confirmed bool
	// shows fails when did is not so.
	shows func(t *testing.T)
}

func defect(p peer, did string, shows func(t *testing.T)) rival {
	return rival{peer: p, did: did, confirmed: true, shows: shows}
}

func sound(p peer, did string, shows func(t *testing.T)) rival {
	return rival{peer: p, did: did, shows: shows}
}

// peer is a library that Outlast is compared with.
type peer struct{ name, module string }

var (
	failsafeGo    = peer{"failsafe-go", "github.com/failsafe-go/failsafe-go"}
	cenkalti      = peer{"cenkalti/backoff", "github.com/cenkalti/backoff/v5"}
	avastRetry    = peer{"avast/retry-go", "github.com/avast/retry-go/v5"}
	sonyGobreaker = peer{"sony/gobreaker", "github.com/sony/gobreaker/v2"}
	retryableHTTP = peer{"hashicorp/go-retryablehttp", "github.com/hashicorp/go-retryablehttp"}
	awsSDK        = peer{"aws-sdk-go-v2", "github.com/aws/aws-sdk-go-v2"}
)

// version is what go.mod asks for.
func (p peer) version(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(p.module) + ` (v\S+)`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s is not in go.mod", p.module)
	}
	return string(found[1])
}

// claims are all there are, by theme.
func claims() []claim {
	return slices.Concat(budgetClaims, delayClaims, hintClaims, adapterClaims, errorClaims, breakerClaims, layerClaims, shapeClaims)
}

func TestClaims(t *testing.T) {
	for _, c := range claims() {
		t.Run(c.name, func(t *testing.T) {
			t.Run("peer", func(t *testing.T) {
				for _, r := range c.peers {
					t.Run(r.peer.name, func(t *testing.T) {
						t.Logf("%s %s: %s", r.peer.name, r.peer.version(t), r.did)
						r.shows(t)
					})
				}
			})
			t.Run("outlast", func(t *testing.T) {
				t.Log(c.ours)
				c.outlast(t)
			})
		})
	}
}
