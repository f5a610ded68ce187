package sealed

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// textMark begins what is sealed where only text is possible: errors, headers,
// and JSON inside of JSON.
const textMark = "sealed:1:"

// hasMark reports whether a text begins like what is sealed, in any version: what
// begins so and does not open is given to nobody.
func hasMark[T string | []byte](text T) bool {
	const word, version = "sealed:", len("sealed:")
	return len(text) > version+1 && string(text[:version]) == word && '0' <= text[version] && text[version] <= '9' && text[version+1] == ':'
}

func textOf(sealed []byte) string { return textMark + base64.RawStdEncoding.EncodeToString(sealed) }

// ofText is the counterpart of textOf; nil for any other text.
func ofText(text string) []byte {
	rest, found := strings.CutPrefix(text, textMark)
	if !found {
		return nil
	}
	sealed, err := base64.RawStdEncoding.DecodeString(rest)
	if err != nil || !store.IsSealed(sealed) {
		return nil
	}
	return sealed
}

// ofJSON is what a JSON string has sealed; nil for any other text.
func ofJSON(text []byte) []byte {
	if !jsonHasSealed(text) {
		return nil
	}
	return ofText(string(text[1 : len(text)-1]))
}

// openMarked opens a text that [hasMark] knows.
func (r *ring) openMarked(p part, text string) ([]byte, error) {
	sealed := ofText(text)
	if sealed == nil {
		return nil, &undecryptable{reason: unknownForm}
	}
	return r.open(p, sealed)
}

func jsonOf(sealed []byte) []byte { return []byte(`"` + textOf(sealed) + `"`) }

// followUps are the parts of a spec that describe other tasks.
func followUps(s *task.Spec) [3]struct {
	name string
	at   **task.Follow
} {
	return [3]struct {
		name string
		at   **task.Follow
	}{{"fallback", &s.Fallback}, {"on_success", &s.OnSuccess}, {"on_dead", &s.OnDead}}
}

// sealTask is the task as it goes to the store. The given one stays as it is.
func (k *key) sealTask(t *task.Task) *task.Task {
	sealed := *t
	id := t.ID[:]
	to := destination(t)
	sealed.Payload = k.seal(part{id, "payload", to}, t.Payload)
	sealed.Spec.HTTP = k.sealRequest(part{id, "headers", to}, t.Spec.HTTP)
	for _, follow := range followUps(&sealed.Spec) {
		if *follow.at == nil {
			continue
		}
		changed := **follow.at
		if changed.Payload != nil {
			changed.Payload = jsonOf(k.seal(part{id, follow.name, to}, changed.Payload))
		}
		changed.HTTP = k.sealRequest(part{id, follow.name + " headers", to}, changed.HTTP)
		*follow.at = &changed
	}
	return &sealed
}

// destination is where a task's parts go, to which they are bound: its queue and
// type, the name of its policy, which may have a fallback, and what it calls, and the
// same of what follows it, which may get its payload or result. None of it changes once
// the task is accepted.
func destination(t *task.Task) []byte {
	out := appendRequest(appendTexts(nil, t.Queue, t.Type, t.Policy), t.Spec.HTTP)
	out = appendBool(out, len(t.Spec.Retry) > 0 && string(t.Spec.Retry) != "null") // it goes before every named policy
	for _, follow := range followUps(&t.Spec) {
		f := *follow.at
		if f == nil {
			out = append(out, 0)
			continue
		}
		out = appendRequest(appendTexts(append(out, 1), f.Queue, f.Type, f.Policy), f.HTTP)
	}
	return out
}

func appendRequest(out []byte, request *task.Request) []byte {
	if request == nil {
		return append(out, 0)
	}
	return appendTexts(append(out, 1), request.Method, request.URL)
}

func appendBool(out []byte, is bool) []byte {
	if is {
		return append(out, 1)
	}
	return append(out, 0)
}

// appendTexts takes texts as they come back from the JSON that stores keep.
func appendTexts(out []byte, texts ...string) []byte {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			text = string([]rune(text))
		}
		out = appendPiece(out, text)
	}
	return out
}

// sealRequest puts the headers of a request under the one name that no header has.
func (k *key) sealRequest(p part, request *task.Request) *task.Request {
	if request == nil || len(request.Headers) == 0 {
		return request
	}
	text, err := json.Marshal(request.Headers)
	if err != nil {
		panic(err) // a map of strings has a JSON form
	}
	changed := *request
	changed.Headers = map[string]string{"": textOf(k.seal(p, text))}
	return &changed
}

// sealFailure seals the text of an error.
func (k *key) sealFailure(id []byte, f *task.Failure) *task.Failure {
	if f == nil || f.Message == "" {
		return f
	}
	changed := *f
	changed.Message = textOf(k.seal(part{of: id, name: "error"}, []byte(f.Message)))
	return &changed
}

// openToRun opens what an attempt needs, in place. All or nothing of it opens.
func (r *ring) openToRun(t *task.Task) error {
	if r.strict && !store.IsSealed(t.Payload) {
		return &undecryptable{reason: "the payload is not sealed, and this process runs only what is"}
	}
	if !hasSealed(t) {
		if t.LastError != nil {
			t.LastError = r.openFailure(t.ID[:], t.LastError)
		}
		return nil
	}
	to := destination(t)
	payload, err := r.open(part{t.ID[:], "payload", to}, t.Payload)
	if err != nil {
		return &undecryptable{keyOf(err), "the payload cannot be read: " + err.Error()}
	}
	spec := t.Spec
	if err := r.openSpec(part{of: t.ID[:], to: to}, &spec); err != nil {
		return &undecryptable{keyOf(err), "the headers, or what follows the task, cannot be read: " + err.Error()}
	}
	t.Payload, t.Spec = payload, spec
	t.LastError = r.openFailure(t.ID[:], t.LastError)
	return nil
}

// hasSealed reports whether there is anything to open before a task can run. It
// is asked of every task of every node, so it allocates nothing.
func hasSealed(t *task.Task) bool {
	if store.IsSealed(t.Payload) || t.Spec.HTTP != nil && requestHasSealed(t.Spec.HTTP) {
		return true
	}
	for _, f := range [...]*task.Follow{t.Spec.Fallback, t.Spec.OnSuccess, t.Spec.OnDead} {
		if f != nil && (jsonHasSealed(f.Payload) || requestHasSealed(f.HTTP)) {
			return true
		}
	}
	return false
}

func jsonHasSealed(text []byte) bool {
	return len(text) > 1 && text[0] == '"' && hasMark(text[1:])
}

func requestHasSealed(request *task.Request) bool {
	return request != nil && len(request.Headers) == 1 && hasMark(request.Headers[""])
}

func keyOf(err error) string {
	if u, ok := err.(*undecryptable); ok { //nolint:errorlint // made here, never wrapped
		return u.key
	}
	return ""
}

// openSpec opens what is sealed of a spec; p says of which task.
func (r *ring) openSpec(p part, spec *task.Spec) error {
	p.name = "headers"
	opened, err := r.openRequest(p, spec.HTTP)
	if err != nil {
		return err
	}
	spec.HTTP = opened
	for _, follow := range followUps(spec) {
		if *follow.at == nil {
			continue
		}
		p.name = follow.name
		opened, err := r.openFollow(p, *follow.at)
		if err != nil {
			return err
		}
		*follow.at = opened
	}
	return nil
}

func (r *ring) openFollow(p part, follow *task.Follow) (*task.Follow, error) {
	request, err := r.openRequest(part{p.of, p.name + " headers", p.to}, follow.HTTP)
	if err != nil {
		return nil, err
	}
	sealed := jsonHasSealed(follow.Payload)
	if !sealed && request == follow.HTTP {
		return follow, nil
	}
	changed := *follow
	changed.HTTP = request
	if sealed {
		if changed.Payload, err = r.openMarked(p, string(follow.Payload[1:len(follow.Payload)-1])); err != nil {
			return nil, err
		}
	}
	return &changed, nil
}

func (r *ring) openRequest(p part, request *task.Request) (*task.Request, error) {
	if !requestHasSealed(request) {
		return request, nil
	}
	text, err := r.openMarked(p, request.Headers[""])
	if err != nil {
		return nil, err
	}
	changed := *request
	changed.Headers = nil
	if err := json.Unmarshal(text, &changed.Headers); err != nil {
		return nil, &undecryptable{reason: "the headers are not what was sealed"}
	}
	return &changed, nil
}

// openFailure shows the text of an error; one that does not open stays sealed.
func (r *ring) openFailure(id []byte, f *task.Failure) *task.Failure {
	if f == nil || !strings.HasPrefix(f.Message, textMark) {
		return f
	}
	changed := *f
	changed.Message = r.openText(part{of: id, name: "error"}, f.Message)
	return &changed
}

func (r *ring) openText(p part, text string) string {
	if sealed := ofText(text); sealed != nil {
		if plain, err := r.open(p, sealed); err == nil {
			return string(plain)
		}
	}
	return text
}

// openToShow opens for people, in place, what can be opened. A payload or result
// that cannot is shown as a JSON string that has it sealed.
func (r *ring) openToShow(t *task.Task) {
	if t == nil {
		return
	}
	t.Result = r.shown(part{of: t.ID[:], name: "result"}, t.Result)
	t.LastError = r.openFailure(t.ID[:], t.LastError)
	if !hasSealed(t) {
		return
	}
	to := destination(t)
	t.Payload = r.shown(part{t.ID[:], "payload", to}, t.Payload)
	_ = r.openSpec(part{of: t.ID[:], to: to}, &t.Spec) // what does not open is shown sealed
}

func (r *ring) shown(p part, text []byte) []byte {
	plain, err := r.open(p, text)
	if err != nil {
		return jsonOf(text)
	}
	return plain
}
