package stored

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/task"
)

// texts have what needs escapes, what does not, and what is no text at all.
var texts = rapid.OneOf(
	rapid.StringMatching(`[ -~]{0,20}`), rapid.String(), rapid.SampledFrom([]string{"", `"`, `\`, "<&>", "\x00", "\xff\xfe", "é", "\u2028"}),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
)

// failures are any, with times that JSON can tell.
var failures = rapid.Custom(func(t *rapid.T) task.Failure {
	zone := rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 7200)}).Draw(t, "zone")
	return task.Failure{
		Category: texts.Draw(t, "category"), Type: texts.Draw(t, "type"), Code: texts.Draw(t, "code"), Effect: texts.Draw(t, "effect"),
		Message: texts.Draw(t, "message"), Fingerprint: texts.Draw(t, "fingerprint"),
		At:    time.Unix(rapid.Int64Range(0, 1<<37).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone),
		Delay: time.Duration(rapid.Int64().Draw(t, "delay")),
	}
})

// What is written is what encoding/json writes, and is read as it reads it.
func TestFailureIsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := failures.Draw(t, "failure")
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Failure(&f)
		if err != nil || string(got) != string(want) {
			t.Fatalf("wrote %s (%v), not %s", got, err, want)
		}
		sameParse(t, got)
	})
}

// What somebody else has written, or time has damaged, is read as ever.
func TestForeignFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := failures.Draw(t, "failure")
		text, _ := json.Marshal(f)
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "damage") {
		case 0:
			text = text[:at]
		case 1:
			text[at] = rapid.Byte().Draw(t, "byte")
		case 2:
			text = append(text[:at:at], append([]byte(" "), text[at:]...)...)
		case 3:
			text = append(text[:at:at], text[at+1:]...)
		}
		sameParse(t, text)
	})
}

func TestOddFailures(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, ` {"category":"a","message":"m","fingerprint":"f","at":"2026-01-02T03:04:05Z"}`,
		`{"category":"a","message":"m","fingerprint":"f","at":"2026-01-02T03:04:05Z","delay":01}`,
		`{"category":"a","message":"m","fingerprint":"f","at":"2026-01-02T03:04:05Z","delay":}`,
		`{"category":"a","message":"m","fingerprint":"f","at":"2026-01-02T03:04:05Z","delay":99999999999999999999}`,
		`{"category":"a","message":"m","fingerprint":"f","at":"2026-01-02T03:04:05,5Z"}`,
		`{"category":"a","message":"m","fingerprint":"f","at":""}`,
		`{"category":"a","message":"m","fingerprint":"f","at":"2026-01-02T3:04:05Z"}`,
		`{"category":"a","message":"m","fingerprint":"f","at":"2026-02-30T03:04:05Z"}`,
		`{"category":"a","category":"b","message":"m","fingerprint":"f","at":"2026-01-02T03:04:05Z"}`,
	} {
		sameParse(t, []byte(text))
	}
}

// sameParse compares with encoding/json.
func sameParse(t interface{ Fatalf(string, ...any) }, text []byte) {
	want := &task.Failure{}
	wantErr := json.Unmarshal(text, want)
	got := FailureOf(text)
	if bad := got.Type == "unreadable"; bad != (wantErr != nil) || !bad && !reflect.DeepEqual(got, want) {
		t.Fatalf("read %s as %+v, encoding/json as %+v (%v)", text, got, want, wantErr)
	}
}

func TestNoFailure(t *testing.T) {
	if text, err := Failure(nil); text != nil || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if f := FailureOf(nil); f != nil {
		t.Errorf("%v", f)
	}
	if _, err := Failure(&task.Failure{At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Error("a time that JSON cannot tell was written")
	}
}

func BenchmarkFailure(b *testing.B) {
	f := &task.Failure{Category: "unknown", Type: "*errors.errorString", Effect: "maybe", Message: "the first attempt fails",
		Fingerprint: "0123456789abcdef", At: time.Unix(1_800_000_000, 123_456_789).UTC(), Delay: time.Second}
	b.ReportAllocs()
	for b.Loop() {
		text, err := Failure(f)
		if err != nil {
			b.Fatal(err)
		}
		FailureOf(text)
	}
}
