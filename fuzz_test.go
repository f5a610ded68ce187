package outlast_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Whatever is handed in, it is accepted and comes back as it was, or refused
// with a typed error that repeats nothing raw.
func FuzzDraft(f *testing.F) {
	client, err := outlast.Open(f.Context(), memory.New(), outlast.WithEnqueueOnly())
	if err != nil {
		f.Fatal(err)
	}
	if err := client.Start(f.Context()); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = client.Stop(context.Background()) })
	f.Add("t", "k", "d", "", []byte(`{}`), []byte(`{"max_attempts":2}`), "", int64(0), int64(0), "payment")
	f.Add("", "\x00", "\xff", "http://[::1%25eth0]:80/", []byte("\x00"), []byte(`{"backoff":{"initial":"1e9h"}}`), traceParent, int64(-1), int64(1), "easyjob(1s,2,3)")
	f.Add("a\r\nb", "\u202e", "é", "https://user@example.com/#x", []byte(nil), []byte(`null`), traceParent+"-", int64(1)<<62, int64(-1)<<62, "\x1b[2J")
	f.Fuzz(func(t *testing.T, taskType, key, dedupe, url string, payload, retry []byte, trace string, delay, ttl int64, policy string) {
		draft := outlast.Draft{
			Type: taskType, Key: key, DedupeKey: dedupe, Payload: payload, TraceParent: trace,
			Delay: time.Duration(delay), TTL: time.Duration(ttl), Policy: policy, Metadata: map[string]string{key: dedupe},
		}
		draft = sent(draft, string(retry))
		if url != "" {
			draft.Target = &task.Request{URL: url, Method: policy, Headers: map[string]string{key: dedupe}}
		}
		receipt, err := client.Enqueue(t.Context(), draft)
		if err != nil {
			var e *outlast.Error
			if !errors.As(err, &e) || e.Code == task.CodeInternal || e.Code == task.CodeInvalid && len(e.Fields) == 0 {
				t.Fatalf("%#v", err)
			}
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
				t.Fatalf("raw text in %q", err)
			}
			return
		}
		got, err := client.Inspector().Tasks.Get(t.Context(), receipt.Task.ID)
		if err != nil || !receipt.Existing && (got.Key != key || !bytes.Equal(got.Payload, payload)) {
			t.Fatalf("got %+v, %v", got, err)
		}
	})
}
