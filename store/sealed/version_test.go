package sealed_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// What looks sealed and does not open is given to nobody: neither what a later release
// has sealed, nor what is damaged, wherever in a task it stands.
func TestUnknownVersionIsGivenToNobody(t *testing.T) {
	version := func(text []byte, number byte) []byte {
		changed := append([]byte(nil), text...)
		changed[len(store.SealMark)] = number
		return changed
	}
	later := func(text string) string {
		sealed, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(text, "sealed:1:"))
		if err != nil {
			t.Fatal(err)
		}
		return "sealed:1:" + base64.RawStdEncoding.EncodeToString(version(sealed, 4))
	}
	follow := func(t *task.Task, payload string) {
		changed := *t.Spec.Fallback
		changed.Payload = []byte(payload)
		t.Spec.Fallback = &changed
	}
	headers := func(t *task.Task, text string) {
		changed := *t.Spec.HTTP
		changed.Headers = map[string]string{"": text}
		t.Spec.HTTP = &changed
	}
	for name, change := range map[string]func(*task.Task){
		"later":             func(t *task.Task) { t.Payload = version(t.Payload, 4) },
		"earlier":           func(t *task.Task) { t.Payload = version(t.Payload, 2) },
		"version 0":         func(t *task.Task) { t.Payload = version(t.Payload, 0) },
		"the mark only":     func(t *task.Task) { t.Payload = []byte(store.SealMark) },
		"later headers":     func(t *task.Task) { headers(t, later(t.Spec.HTTP.Headers[""])) },
		"damaged headers":   func(t *task.Task) { headers(t, "sealed:1:!!!") },
		"headers of a form": func(t *task.Task) { headers(t, "sealed:2:AAAA") },
		"later fallback":    func(t *task.Task) { follow(t, `"`+later(strings.Trim(string(t.Spec.Fallback.Payload), `"`))+`"`) },
		"damaged fallback":  func(t *task.Task) { follow(t, `"sealed:1:!!!"`) },
		"fallback, a form":  func(t *task.Task) { follow(t, `"sealed:2:AAAA"`) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			given := full(b, "canary")
			b.insert(b.seal(oneKey(1)), store.Insert{Task: given})
			s, err := sealed.Wrap(&changedStore{b.raw, change}, oneKey(1), nil)
			b.ok(err)
			if claimed := b.claim(s, given.ID); len(claimed.Tasks) != 0 || len(claimed.Refused) != 1 {
				t.Errorf("claimed %+v", claimed)
			}
			if last := b.get(b.raw, given.ID).LastError; last == nil || last.Code != sealed.Undecryptable {
				t.Errorf("its failure is %+v", last)
			}
		})
	}
}
