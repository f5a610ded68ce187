package plaintext

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLinesAndCuts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, limit := rapid.String().Draw(t, "text"), rapid.IntRange(20, 80).Draw(t, "limit")
		if got := Cut(text, limit); len(got) > limit || len(text) <= limit && got != text {
			t.Fatalf("%d bytes of %d", len(got), limit)
		}
		if line := Line(text); strings.ContainsAny(line, "\r\n\t\x00\x1b\u2028") {
			t.Fatalf("%q", line)
		}
	})
}
