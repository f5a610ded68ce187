package sealed

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// textMark begins what is sealed where only text is possible: errors, headers,
// and JSON inside of JSON.
const textMark = "sealed:1:"

func textOf(sealed []byte) string { return textMark + base64.RawStdEncoding.EncodeToString(sealed) }

// ofText is the counterpart of textOf; nil for any other text.
func ofText(text string) []byte {
	rest, found := strings.CutPrefix(text, textMark)
	if !found {
		return nil
	}
	sealed, err := base64.RawStdEncoding.DecodeString(rest)
	if err != nil || !isSealed(sealed) {
		return nil
	}
	return sealed
}

// ofJSON is what a JSON string has sealed; nil for any other text.
func ofJSON(text []byte) []byte {
	if !jsonHasSealed(text) || text[0] != '"' {
		return nil
	}
	return ofText(string(text[1 : len(text)-1]))
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
	sealed.Payload = k.seal(part{id, "payload"}, t.Payload)
	sealed.Spec.HTTP = k.sealRequest(id, "headers", t.Spec.HTTP)
	for _, follow := range followUps(&sealed.Spec) {
		if *follow.at == nil {
			continue
		}
		changed := **follow.at
		if changed.Payload != nil {
			changed.Payload = jsonOf(k.seal(part{id, follow.name}, changed.Payload))
		}
		changed.HTTP = k.sealRequest(id, follow.name+" headers", changed.HTTP)
		*follow.at = &changed
	}
	return &sealed
}

// sealRequest puts the headers of a request under the one name that no header has.
func (k *key) sealRequest(id []byte, name string, request *task.Request) *task.Request {
	if request == nil || len(request.Headers) == 0 {
		return request
	}
	text, err := json.Marshal(request.Headers)
	if err != nil {
		panic(err) // a map of strings has a JSON form
	}
	changed := *request
	changed.Headers = map[string]string{"": textOf(k.seal(part{id, name}, text))}
	return &changed
}

// sealFailure seals the text of an error.
func (k *key) sealFailure(id []byte, f *task.Failure) *task.Failure {
	if f == nil || f.Message == "" {
		return f
	}
	changed := *f
	changed.Message = textOf(k.seal(part{id, "error"}, []byte(f.Message)))
	return &changed
}

// openToRun opens what an attempt needs, in place. All or nothing of it opens.
func (r *ring) openToRun(t *task.Task) error {
	if r.strict && !isSealed(t.Payload) {
		return &undecryptable{reason: "the payload is not sealed, and this process runs only what is"}
	}
	if !hasSealed(t) {
		t.LastError = r.openFailure(t.ID[:], t.LastError)
		return nil
	}
	payload, err := r.open(part{t.ID[:], "payload"}, t.Payload)
	if err != nil {
		return &undecryptable{keyOf(err), "the payload cannot be read: " + err.Error()}
	}
	spec := t.Spec
	if err := r.openSpec(t.ID[:], &spec); err != nil {
		return &undecryptable{keyOf(err), "the headers, or what follows the task, cannot be read: " + err.Error()}
	}
	t.Payload, t.Spec = payload, spec
	t.LastError = r.openFailure(t.ID[:], t.LastError)
	return nil
}

// hasSealed reports whether there is anything to open before a task can run. It
// is asked of every task of every node, so it allocates nothing.
func hasSealed(t *task.Task) bool {
	if isSealed(t.Payload) || requestHasSealed(t.Spec.HTTP) {
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
	return len(text) > len(textMark) && string(text[1:1+len(textMark)]) == textMark
}

func requestHasSealed(request *task.Request) bool {
	return request != nil && len(request.Headers) == 1 && strings.HasPrefix(request.Headers[""], textMark)
}

func keyOf(err error) string {
	if u, ok := err.(*undecryptable); ok { //nolint:errorlint // made here, never wrapped
		return u.key
	}
	return ""
}

func (r *ring) openSpec(id []byte, spec *task.Spec) error {
	opened, err := r.openRequest(id, "headers", spec.HTTP)
	if err != nil {
		return err
	}
	spec.HTTP = opened
	for _, follow := range followUps(spec) {
		if *follow.at == nil {
			continue
		}
		opened, err := r.openFollow(id, follow.name, *follow.at)
		if err != nil {
			return err
		}
		*follow.at = opened
	}
	return nil
}

func (r *ring) openFollow(id []byte, name string, follow *task.Follow) (*task.Follow, error) {
	request, err := r.openRequest(id, name+" headers", follow.HTTP)
	if err != nil {
		return nil, err
	}
	sealed := ofJSON(follow.Payload)
	if sealed == nil && request == follow.HTTP {
		return follow, nil
	}
	changed := *follow
	changed.HTTP = request
	if sealed != nil {
		if changed.Payload, err = r.open(part{id, name}, sealed); err != nil {
			return nil, err
		}
	}
	return &changed, nil
}

func (r *ring) openRequest(id []byte, name string, request *task.Request) (*task.Request, error) {
	if request == nil || len(request.Headers) != 1 {
		return request, nil
	}
	sealed := ofText(request.Headers[""])
	if sealed == nil {
		return request, nil
	}
	text, err := r.open(part{id, name}, sealed)
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
	changed.Message = r.openText(part{id, "error"}, f.Message)
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
	t.Payload = r.shown(part{t.ID[:], "payload"}, t.Payload)
	t.Result = r.shown(part{t.ID[:], "result"}, t.Result)
	t.LastError = r.openFailure(t.ID[:], t.LastError)
	_ = r.openSpec(t.ID[:], &t.Spec) // what does not open is shown sealed
}

func (r *ring) shown(p part, text []byte) []byte {
	plain, err := r.open(p, text)
	if err != nil {
		return jsonOf(text)
	}
	return plain
}
