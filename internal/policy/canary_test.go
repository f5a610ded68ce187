package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// tried is a policy of which a version is tried over another one.
func tried(t rapid.TB, name, share string) *Policy {
	t.Helper()
	made, err := Parse(name, []byte(`{"max_attempts":9,"canary":"`+share+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := made.Over(&store.Object{Kind: Kind, Name: name, Version: 3, Body: []byte(`{"max_attempts":2}`)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(&store.Object{Kind: Kind, Name: name, Version: 4, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The share of the tasks is that which is wanted, within four standard deviations, also
// of ids that differ in their last bytes only.
func TestShareOfTheTasks(t *testing.T) {
	const tasks = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	one := task.NewID(time.Unix(1e9, 0), random)
	for _, share := range []string{"0.5%", "1%", "10%", "50%", "99%", "100%"} {
		p := tried(t, "payment", share)
		for name, id := range map[string]func(n int) task.ID{
			"random": func(int) task.ID { return task.NewID(time.Unix(1e9, 0), random) },
			"alike":  func(n int) task.ID { return one.WithLane(uint16(n)) },
		} {
			newer := 0
			for n := range tasks {
				if p.For(id(n)) == p {
					newer++
				}
			}
			want := p.Canary.Share / 100
			if bound := 4 * math.Sqrt(tasks*want*(1-want)); math.Abs(float64(newer)-tasks*want) > bound {
				t.Errorf("%s of %s ids: %d of %d", share, name, newer, tasks)
			}
		}
	}
}

// A task keeps its version however often it is asked for and whatever else was, is not
// lost when the share grows, and is not chosen for the canaries of all policies at once.
func TestTasksKeepTheirVersion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low, high := rapid.IntRange(1, 100).Draw(t, "low"), rapid.IntRange(1, 100).Draw(t, "high")
		low, high = min(low, high), max(low, high)
		less, more := tried(t, "p", fmt.Sprintf("%d%%", low)), tried(t, "p", fmt.Sprintf("%d%%", high))
		id := task.ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		first := less.For(id)
		if tried(t, "p", fmt.Sprintf("%d%%", low)).For(id).Version != first.Version {
			t.Fatal("two nodes differ")
		}
		if first == less && more.For(id) != more {
			t.Fatalf("%s is in %d%% and not in %d%%", id, low, high)
		}
	})
	random, both := rand.New(rand.NewPCG(3, 4)), 0
	a, b := tried(t, "a", "50%"), tried(t, "b", "50%")
	for range 10_000 {
		if id := task.NewID(time.Now(), random); a.For(id) == a && b.For(id) == b {
			both++
		}
	}
	if both < 2300 || both > 2700 {
		t.Errorf("%d of 10000 are in both halves", both)
	}
}

// Nodes of all releases choose the same: these ids were chosen by the first one that
// had canaries.
func TestChoiceStaysAsItIs(t *testing.T) {
	p, chosen := tried(t, "payment", "10%"), ""
	for n := range 64 {
		if p.For(task.ID{0: 1, 15: byte(n)}) == p {
			chosen += fmt.Sprint(n, " ")
		}
	}
	if chosen != "1 23 44 " {
		t.Errorf("chosen are %s", chosen)
	}
	if p.For(task.ID{}) != p {
		t.Error("without an id it is the older version")
	}
}

func TestSharesAsTheyAreWritten(t *testing.T) {
	for _, good := range []string{`"10%"`, `10`, `"10.0%"`, `1e1`, `10.00`} {
		p, err := Parse("p", []byte(`{"canary":`+good+`}`))
		if err != nil || string(p.Body) != `{"canary":"10%"}` {
			t.Errorf("%s: %v, %v", good, p, err)
		}
	}
	for _, bad := range []string{`0`, `"0%"`, `101`, `"100.1%"`, `-1`, `"-1%"`, `"x"`, `"10"`, `"%"`, `""`, `"1e1%"`, `"0x1p3%"`, `"Inf%"`, `"1.2.3%"`, `null`, `true`, `[10]`, `1e999`,
		`{"share":"10%","base_version":1,"base":{}}`, `"` + strings.Repeat("9", 1000) + `%"`} {
		_, err := Parse("p", []byte(`{"canary":`+bad+`}`))
		found := retry.FieldErrors(err)
		if len(found) != 1 || found[0].Field != "canary" || !strings.Contains(found[0].Message, "above 0% to 100%") || found[0].Hint != `such as "10%"` || len(found[0].Message) > 200 {
			t.Errorf("%s: %v", bad, err)
		}
	}
	_, err := Parse("a b", []byte(`{"canary":"x","max_attempts":0}`))
	if found := retry.FieldErrors(err); len(found) != 3 {
		t.Errorf("not all at once: %v", err)
	}
	if _, err := ParseInline([]byte(`{"canary":"10%"}`)); err == nil || !strings.Contains(err.Error(), "policies with a name") {
		t.Errorf("inline: %v", err)
	}
}

func TestOver(t *testing.T) {
	p := tried(t, "payment", "10%")
	if p.Version != 4 || p.Policy.Version() != 4 || p.Policy.MaxAttempts() != 9 || p.Canary.Base.Policy.Version() != 3 || p.Canary.Base.Policy.MaxAttempts() != 2 || p.Canary.Base.Policy.Name() != "payment" {
		t.Errorf("%+v, %+v", p, p.Canary.Base)
	}
	if string(p.Body) != `{"max_attempts":9,"canary":"10%"}` {
		t.Errorf("body %s", p.Body)
	}
	// Another canary over a canary: the base stays.
	body, err := p.Over(nil)
	if found := retry.FieldErrors(err); len(found) != 1 || !strings.Contains(found[0].Hint, `{"preset": "payment"}`) {
		t.Errorf("%s, %v", body, err)
	}
	kept, err := p.Over(&store.Object{Name: "payment", Version: 3, Body: []byte(`{"max_attempts":2}`)})
	if err != nil {
		t.Fatal(err)
	}
	object := &store.Object{Kind: Kind, Name: "payment", Version: 4, Body: kept}
	next, err := Parse("payment", []byte(`{"max_attempts":7,"canary":50}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err = next.Over(object)
	if err != nil || string(body) != `{"max_attempts":7,"canary":{"share":"50%","base_version":3,"base":{"max_attempts":2}}}` {
		t.Errorf("%s, %v", body, err)
	}
	if w := Written(object); string(w) != string(p.Body) {
		t.Errorf("written %s", w)
	}
	if promoted, err := Promoted(object); err != nil || string(promoted) != `{"max_attempts":9}` {
		t.Errorf("%s, %v", promoted, err)
	}
	if aborted, err := Aborted(object); err != nil || string(aborted) != `{"max_attempts":2}` {
		t.Errorf("%s, %v", aborted, err)
	}
	object.Body = []byte(`{"max_attempts":2}`)
	for _, end := range []func(*store.Object) (json.RawMessage, error){Promoted, Aborted} {
		if _, err := end(object); !errors.Is(err, ErrNoCanary) {
			t.Errorf("no canary: %v", err)
		}
	}
	if w := Written(object); string(w) != `{"max_attempts":2}` {
		t.Errorf("written %s", w)
	}
}

// What both versions need together is bounded, and a version that cannot be read is no
// base.
func TestOverRefuses(t *testing.T) {
	next, err := Parse("p", []byte(`{"canary":"10%","fallback":{"type":"a","payload":"`+strings.Repeat("x", 40<<10)+`"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"fallback":{"type":"a","payload":"` + strings.Repeat("y", 40<<10) + `"}}`: "the limit is 65536",
		`{"of_a_later_release":1}`: "cannot be read",
	} {
		_, err := next.Over(&store.Object{Name: "p", Version: 1, Body: []byte(body)})
		if found := retry.FieldErrors(err); len(found) != 1 || found[0].Field != "canary" || !strings.Contains(found[0].Message, want) || found[0].Hint == "" {
			t.Errorf("%.40s: %v", body, err)
		}
	}
}

// A base that is known already stays the same, so that targets keep their guards; what
// cannot be read leaves what was known.
func TestSetKeepsTheBase(t *testing.T) {
	id := task.ID{1}
	first, problems := NewSet([]store.Object{{Kind: Kind, Name: "p", Version: 3, Body: []byte(`{"max_attempts":2}`)}}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	body := []byte(`{"max_attempts":9,"canary":{"share":"0.0001%","base_version":3,"base":{"max_attempts":2}}}`)
	second, _ := NewSet([]store.Object{{Kind: Kind, Name: "p", Version: 4, Body: body}}, first)
	third, _ := NewSet([]store.Object{{Kind: Kind, Name: "p", Version: 5, Body: bytes.Replace(body, []byte("9"), []byte("8"), 1)}}, second)
	if base := first.Find("p"); second.For("p", id) != base || third.For("p", id) != base || second.Find("p").Version != 4 {
		t.Error("the base is another one")
	}
	if other, _ := NewSet([]store.Object{{Kind: Kind, Name: "p", Version: 4, Body: body}}, nil); other.For("p", id).Policy.MaxAttempts() != 2 {
		t.Error("a node that starts later has another base")
	}
	for _, broken := range []string{`{"canary":"10%"}`, `{"canary":{"share":"10%","base_version":1}}`, `{"canary":{"share":"x","base_version":1,"base":{}}}`,
		`{"canary":{"share":"10%","base_version":1,"base":{"canary":"5%"}}}`} {
		kept, problems := NewSet([]store.Object{{Kind: Kind, Name: "p", Version: 6, Body: []byte(broken)}}, third)
		if len(problems) != 1 || kept.Find("p") != third.Find("p") {
			t.Errorf("%s: %v", broken, problems)
		}
	}
	standard, _ := NewSet([]store.Object{{Kind: Kind, Name: Default, Version: 4, Body: body}}, nil)
	if standard.Standard(id).MaxAttempts() != 2 || standard.Standard(task.ID{}).MaxAttempts() != 9 || standard.For("none", id) != nil {
		t.Error("the default policy has no canary")
	}
}
