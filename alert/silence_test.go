package alert

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
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
		if got := glob(c.pattern, c.text); got != c.want {
			t.Errorf("%q of %q: %v", c.pattern, c.text, got)
		}
	}
	if glob(strings.Repeat("*a", 250)+"b", strings.Repeat("a", 10_000)) {
		t.Error("a pattern that cannot match does")
	}
}

func TestEndedSilencesAreForgotten(t *testing.T) {
	now := time.Now()
	for after, want := range map[time.Duration]bool{0: false, 29 * 24 * time.Hour: false, 31 * 24 * time.Hour: true} {
		body, err := json.Marshal(Silence{Rule: "*", Until: now})
		if err != nil {
			t.Fatal(err)
		}
		if got := idle(&store.Object{Kind: KindSilence, Body: body}, now.Add(after)); got != want {
			t.Errorf("after %s: %v", after, got)
		}
	}
}
