package body

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// What Decode accepts, encoding/json accepts with the same meaning; what it
// refuses is an error with code invalid; and it never panics.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"type":"a"}`, `{"type":"a","payload":{"x":[1,2,{"y":null}]},"priority":3,"delay":"1s","metadata":{"a":"b"}}`, `{"type":"\u00fc\ud83d\ude00\n"}`,
		`{"type":"a","retry":{"backoff":{"kind":"steps","steps":["1s"]}},"target":{"url":"http://a","headers":{"X":"y"}}}`, `{"type":"a","type":"b"}`,
		`{"type":"\ud800"}`, `[`, `{"type"`, `{"type":"a"}}`, `{"priority":1e3}`, `{"priority":-0}`, `{"run_at":"2026-01-01T00:00:00Z"}`, `{"typ":1}`, "{\"type\":\"\xff\"}", `"`, `"\`, `"\u12`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got client.Draft
		if err := Decode(data, &got, ""); err != nil {
			var known *task.Error
			if !errors.As(err, &known) || known.Code != task.CodeInvalid || len(known.Fields) == 0 {
				t.Errorf("%q: error %v without code or fields", data, err)
			}
			return
		}
		var want client.Draft
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q is accepted, but: %v", data, err)
		}
		if string(data) != "null" && !reflect.DeepEqual(normal(got), normal(want)) {
			t.Errorf("%q: read %+v, want %+v", data, got, want)
		}
		written, err := client.Marshal(&got)
		if err != nil {
			t.Fatal(err)
		}
		var again client.Draft
		if err := Decode(written, &again, ""); err != nil || !reflect.DeepEqual(normal(again), normal(got)) {
			t.Errorf("%q: written as %s, read again as %+v (%v)", data, written, again, err)
		}
	})
}

// normal makes drafts comparable: absent and empty are the same.
func normal(d client.Draft) client.Draft {
	if len(d.Metadata) == 0 {
		d.Metadata = nil
	}
	if d.Target != nil && len(d.Target.Headers) == 0 {
		d.Target.Headers = nil
	}
	for _, follow := range []*client.Follow{d.Fallback, d.OnSuccess, d.OnDead} {
		if follow != nil && follow.Target != nil && len(follow.Target.Headers) == 0 {
			follow.Target.Headers = nil
		}
	}
	return d
}

// An empty list asks for what an absent one asks for, as a poll without queues does.
func TestAnEmptyListIsAbsent(t *testing.T) {
	var poll client.Poll
	if err := Decode([]byte(`{"worker":"w","queues":[]}`), &poll, ""); err != nil || poll.Queues != nil {
		t.Errorf("%#v, %v", poll.Queues, err)
	}
}
