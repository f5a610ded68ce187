package compare

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/explanation/comparison.md")

const pageFile = "../../docs/explanation/comparison.md"

// The page says what the tests assert, at the versions that they run against.
func TestPage(t *testing.T) {
	var page strings.Builder
	writePage(t, &page)
	if *update {
		if err := os.WriteFile(pageFile, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page.String() {
		t.Error("docs/explanation/comparison.md is not what the claims say; run: cd bench && go test ./compare -run TestPage -update")
	}
}

// Names are those of tests: they are unique and can be typed.
func TestNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range claims() {
		if seen[c.name] {
			t.Errorf("two claims are called %s", c.name)
		}
		seen[c.name] = true
		if strings.Trim(c.name, "abcdefghijklmnopqrstuvwxyz_") != "" || c.what == "" || c.how == "" || c.ours == "" || c.outlast == nil || len(c.peers) == 0 {
			t.Errorf("%s is not complete", c.name)
		}
	}
}

func writePage(t *testing.T, to io.Writer) {
	fmt.Fprint(to, pageHead)
	for _, p := range []peer{failsafeGo, cenkalti, avastRetry, sonyGobreaker, retryableHTTP, awsSDK} {
		fmt.Fprintf(to, "| %s | %s |\n", p.name, p.version(t))
	}
	fmt.Fprint(to, pageDefects)
	writeRows(to, true)
	fmt.Fprint(to, pageSound)
	writeRows(to, false)
	writePorted(to)
	fmt.Fprint(to, pageTail)
}

// writeRows writes the claims against peers that are confirmed, or those that are
// not.
func writeRows(to io.Writer, confirmed bool) {
	for _, c := range claims() {
		named := false
		for _, r := range c.peers {
			if r.confirmed != confirmed {
				continue
			}
			if named {
				fmt.Fprintf(to, "| | %s | %s | | |\n", r.peer.name, r.did)
				continue
			}
			fmt.Fprintf(to, "| **%s.** %s | %s | %s | %s | `%s` |\n", c.what, capital(c.how), r.peer.name, r.did, c.ours, c.name)
			named = true
		}
	}
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// A claim that the page shows under two headings is told apart by its peers.
func TestPeersOnce(t *testing.T) {
	for _, c := range claims() {
		for i, r := range c.peers {
			if slices.ContainsFunc(c.peers[:i], func(other rival) bool { return other.peer == r.peer }) {
				t.Errorf("%s names %s twice", c.name, r.peer.name)
			}
		}
	}
}

const pageHead = `<!-- Made from bench/compare by: cd bench && go test ./compare -run TestPage -update -->

# Comparison with other Go libraries

Each row is a test that runs the peer and Outlast side by side: its subtest ` + "`peer`" + ` fails if the peer does not do what
the row says, ` + "`outlast`" + ` if Outlast does not. The tests run with every change, so that a row cannot outlive the version that
it is about:

` + "```sh\ncd bench && go test ./compare -v -run TestClaims/jitter_survives_the_cap\n```" + `

Peers are used as their documentation says. Where a row concerns a default, and a setting would change it, the row says
so. Times and allocations side by side are in [benchmarks.md](benchmarks.md), B11 and B12.

| peer | version |
|---|---|
`

const pageDefects = `
## What they did

| claim and how it is tested | peer | what it did | Outlast | test |
|---|---|---|---|---|
`

const pageSound = `
## What was said of them, and is not so

These were expected from reading code or reports, and the peers did well at these versions. They stay as tests.

| claim and how it is tested | peer | what it did | Outlast | test |
|---|---|---|---|---|
`

const pageTail = `
## Where they lead

- **failsafe-go** composes its policies in any order by one list; here the order around an attempt is fixed, and what
  stands around a call, a cache or a fallback, is written around it. Its adaptive limiters and throttlers know priorities
  and usage levels, and carry them between services over HTTP and gRPC. It follows a Java library that has been in use
  for years.
- **cenkalti/backoff** is small, needs nothing else, and is there already in most programs' dependencies. Its Ticker fits
  into a select.
- **avast/retry-go** spends less on an attempt that fails (B12): it classifies nothing and makes no context for the next
  one. It can limit attempts for single errors by value in one line.
- **sony/gobreaker** is small, has a two-step form, and a variant that shares its state through Redis.
- **hashicorp/go-retryablehttp** is a drop-in for http.Client with log hooks and response callbacks, used for years.
- **aws-sdk-go-v2** knows the error codes of one provider better than anything general can.

What durable queues do is compared elsewhere, in the [README](../../README.md#why-not-what-you-have), and what they have for handlers
with several effects in [steps](../how-to/steps.md#what-others-have): this page is about retries inside one process.
`
