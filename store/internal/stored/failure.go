package stored

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Every failed attempt is written once and read once, and encoding/json takes
// longer for that than all the rest of the program for the attempt. So what is
// written is put together here, byte for byte what encoding/json makes of it; and
// what is read is taken apart here if it looks exactly like that, with texts that
// need no escapes. Everything else is left to encoding/json.

// Failure is a failure as it is stored: JSON, nil for none.
func Failure(failure *task.Failure) ([]byte, error) {
	if failure == nil {
		return nil, nil
	}
	f := failure
	out := make([]byte, 0, 160+len(f.Category)+len(f.Type)+len(f.Code)+len(f.Effect)+len(f.Message)+len(f.Fingerprint))
	out = appendText(append(out, `{"category":`...), f.Category)
	out = appendOptional(out, `,"type":`, f.Type)
	out = appendOptional(out, `,"code":`, f.Code)
	out = appendOptional(out, `,"effect":`, f.Effect)
	out = appendText(append(out, `,"message":`...), f.Message)
	out = appendText(append(out, `,"fingerprint":`...), f.Fingerprint)
	out, err := f.At.AppendText(append(out, `,"at":"`...))
	if err != nil {
		return nil, err
	}
	out = append(out, '"')
	if f.Delay != 0 {
		out = strconv.AppendInt(append(out, `,"delay":`...), int64(f.Delay), 10)
	}
	return append(out, '}'), nil
}

func appendOptional(out []byte, key, text string) []byte {
	if text == "" {
		return out
	}
	return appendText(append(out, key...), text)
}

func appendText(out []byte, text string) []byte {
	for i := range len(text) {
		if !isPlain[text[i]] {
			escaped, _ := json.Marshal(text) // every string has a form
			return append(out, escaped...)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}

// isPlain are the bytes that stand for themselves in what encoding/json writes.
var isPlain = func() (plain [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		plain[c] = bytes.IndexByte([]byte(`"\<>&`), c) < 0
	}
	return plain
}()

// FailureOf reads what Failure made. One that cannot be read says so: it must hold up
// neither its task nor others.
func FailureOf(text []byte) *task.Failure {
	if text == nil {
		return nil
	}
	failure := &task.Failure{}
	if parsePlain(string(text), failure) {
		return failure
	}
	*failure = task.Failure{}
	if err := json.Unmarshal(text, failure); err != nil {
		return unreadable(err)
	}
	return failure
}

func unreadable(err error) *task.Failure {
	return &task.Failure{Category: "unknown", Type: "unreadable", Message: "the error cannot be read in the database: " + err.Error()}
}

// parsePlain takes a failure apart that looks like one that Failure made of texts
// without escapes. Their memory is that of the whole.
func parsePlain(text string, f *task.Failure) bool {
	p := plain{rest: text}
	f.Category = p.text(`{"category":"`, true)
	f.Type = p.text(`,"type":"`, false)
	f.Code = p.text(`,"code":"`, false)
	f.Effect = p.text(`,"effect":"`, false)
	f.Message = p.text(`,"message":"`, true)
	f.Fingerprint = p.text(`,"fingerprint":"`, true)
	at := p.text(`,"at":"`, true)
	f.Delay = p.delay()
	return !p.odd && p.rest == "}" && f.At.UnmarshalText([]byte(at)) == nil
}

// plain is what is left of a text, and whether it has turned out not to be plain.
type plain struct {
	rest string
	odd  bool
}

// cut drops a prefix, if it is there.
func (p *plain) cut(prefix string) bool {
	if len(p.rest) < len(prefix) || p.rest[:len(prefix)] != prefix {
		return false
	}
	p.rest = p.rest[len(prefix):]
	return true
}

// text is the value after a key, "" if the key is not there and need not be.
func (p *plain) text(key string, needed bool) string {
	if !p.cut(key) {
		p.odd = p.odd || needed
		return ""
	}
	for i := range len(p.rest) {
		if c := p.rest[i]; c == '"' {
			value := p.rest[:i]
			p.rest = p.rest[i+1:]
			return value
		} else if !isPlain[c] {
			break
		}
	}
	p.odd = true
	return ""
}

// delay is the last value, 0 if it is not there.
func (p *plain) delay() time.Duration {
	if !p.cut(`,"delay":`) {
		return 0
	}
	digits := 0
	for digits < len(p.rest) && '0' <= p.rest[digits] && p.rest[digits] <= '9' {
		digits++
	}
	n, err := strconv.ParseInt(p.rest[:digits], 10, 64)
	p.odd = p.odd || err != nil || p.rest[0] == '0'
	p.rest = p.rest[digits:]
	return time.Duration(n)
}
