package alerts

import (
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "ab", false}, {"ab", "a", false}, {"*", "", true}, {"*", "a/b", true},
		{"mail.*", "mail.send", true}, {"mail.*", "email.send", false}, {"*.send", "mail.send.send", true}, {"*.send", "mail.sent", false},
		{"a*b*c", "aXbbYc", true}, {"a*b*c", "aXcYb", false}, {"**", "x", true}, {"é*", "éa", true},
	} {
		if got := Glob(c.pattern, c.text); got != c.want {
			t.Errorf("%q of %q: %v", c.pattern, c.text, got)
		}
	}
	if Glob(strings.Repeat("*a", 250)+"b", strings.Repeat("a", 10_000)) {
		t.Error("a pattern that cannot match does")
	}
}
