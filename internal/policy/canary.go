package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Canary tries a version of a policy on a share of the tasks, while the version before
// it holds for the rest. Which of them holds for a task is told by its id, so it is
// the same on all nodes and for all attempts; a task of the share stays in it when the
// share is raised. It is immutable.
type Canary struct {
	Share float64 // percent, above 0 to 100
	Base  *Policy // the version that holds for the rest; nil before it is kept

	seed uint64 // the hash of the policy's name
}

// keptCanary is a canary in the body of an object: with both versions, so that a node
// that has read the object knows which ones hold.
type keptCanary struct {
	Share       json.RawMessage `json:"share"`
	BaseVersion int64           `json:"base_version"`
	Base        json.RawMessage `json:"base"`
}

// canaryReader reads the key canary of a policy.
type canaryReader func(name string, text json.RawMessage) (*Canary, error)

const canaryHint = `such as "10%"`

// parseCanary reads a share as people write it: "10%", or 10 for the same.
func parseCanary(name string, text json.RawMessage) (*Canary, error) {
	number := string(text)
	if json.Unmarshal(text, &number) == nil { // a text
		digits, percent := strings.CutSuffix(number, "%")
		if !percent || strings.Trim(digits, "0123456789.") != "" { // ParseFloat reads other forms too
			return nil, notAShare(text)
		}
		number = digits
	}
	share, err := strconv.ParseFloat(number, 64)
	if err != nil || !(share > 0 && share <= 100) {
		return nil, notAShare(text)
	}
	return &Canary{Share: share, seed: hash(fnvOffset, []byte(name))}, nil
}

func notAShare(text json.RawMessage) error {
	shown := fmt.Sprintf("%.60s", strings.Trim(string(text), `"`))
	return &retry.FieldError{Field: "canary", Message: task.Quote(shown) + " is not a share of the tasks, above 0% to 100%", Hint: canaryHint}
}

// refuseCanary refuses a canary of what has no versions.
func refuseCanary(string, json.RawMessage) (*Canary, error) { return nil, NoCanary() }

// NoCanary is the error of a canary in a policy without a name: a [retry.FieldError].
func NoCanary() error {
	return &retry.FieldError{Field: "canary", Message: "is for policies with a name: this one has no version before it", Hint: "put a policy under a name, and name it"}
}

// readCanary reads what [Policy.Over] has written.
func readCanary(name string, text json.RawMessage) (*Canary, error) {
	var kept keptCanary
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, &retry.FieldError{Field: "canary", Message: "the version before it is missing"}
	}
	c, err := parseCanary(name, kept.Share)
	if err != nil {
		return nil, err
	}
	if c.Base, err = parse(name, kept.Base, refuseCanary); err != nil {
		return nil, fmt.Errorf("canary.base: %w", err)
	}
	c.Base.Version = kept.BaseVersion
	c.Base.Policy = c.Base.Policy.Named(name, kept.BaseVersion)
	return c, nil
}

// written is the share as it is written: "10%".
func (c *Canary) written() json.RawMessage {
	return json.RawMessage(`"` + strconv.FormatFloat(c.Share, 'f', -1, 64) + `%"`)
}

// holds reports whether a task is in the share.
func (c *Canary) holds(id task.ID) bool {
	const steps = 1 << 53 // that a float64 tells apart
	return float64(mixed(hash(c.seed, id[:]))>>11) < c.Share/100*steps
}

// For is the version of the policy that holds for a task. Without an id it is the
// newest.
func (p *Policy) For(id task.ID) *Policy {
	if p.Canary == nil || p.Canary.Base == nil || id.IsZero() || p.Canary.holds(id) {
		return p
	}
	return p.Canary.Base
}

// keepBase takes the base from what was known before, so that targets keep their
// guards.
func (p *Policy) keepBase(known *Policy) {
	if p.Canary == nil || known == nil {
		return
	}
	if known.Canary != nil {
		known = known.Canary.Base
	}
	if known.Version == p.Canary.Base.Version {
		p.Canary.Base = known
	}
}

// Over is the body to keep where the policy is put over what is kept under its name,
// nil for nothing. That of a canary holds the version before it as well: the base of
// the canary that is replaced, if it is one. The error is a [retry.FieldError] on
// "canary".
func (p *Policy) Over(before *store.Object) (json.RawMessage, error) {
	if p.Canary == nil {
		return p.Body, nil
	}
	if before == nil {
		refused := &retry.FieldError{Field: "canary", Message: "there is no version before it, which would hold for the rest", Hint: "put the policy without canary first"}
		if _, preset := retry.DescribePreset(p.Name); preset {
			refused.Hint = fmt.Sprintf(`keep the preset under its name first: put {"preset": %q}`, p.Name)
		}
		return nil, refused
	}
	base, err := Read(before)
	if err != nil {
		return nil, &retry.FieldError{Field: "canary", Message: "the version before it cannot be read here", Hint: "put the policy without canary"}
	}
	if base.Canary != nil {
		base = base.Canary.Base
	}
	spec := *p.Spec
	if spec.Canary, err = json.Marshal(keptCanary{Share: p.Canary.written(), BaseVersion: base.Version, Base: base.Body}); err != nil {
		return nil, err
	}
	body, err := Normal(&spec)
	if err == nil && len(body) > MaxBody {
		return nil, &retry.FieldError{Field: "canary", Message: fmt.Sprintf("has %d bytes together with the version before it; the limit is %d", len(body), MaxBody), Hint: "leave out rules, or canary"}
	}
	return body, err
}

// Written is the policy of an object as it was written: without what [Policy.Over]
// keeps beside it.
func Written(o *store.Object) json.RawMessage {
	if bytes.Contains(o.Body, []byte(`"canary"`)) {
		if p, err := Read(o); err == nil {
			return p.Body
		}
	}
	return o.Body
}

// ErrNoCanary tells that the policy holds for all tasks.
var ErrNoCanary = errors.New("no canary of the policy runs")

// Promoted is the body that lets the newest version of an object hold for all tasks.
// The error is [ErrNoCanary] where it does already.
func Promoted(o *store.Object) (json.RawMessage, error) {
	p, err := withCanary(o)
	if err != nil {
		return nil, err
	}
	spec := *p.Spec
	spec.Canary = nil
	return Normal(&spec)
}

// Aborted is the body that lets the version before the canary hold for all tasks
// again. The error is [ErrNoCanary] where there is none.
func Aborted(o *store.Object) (json.RawMessage, error) {
	p, err := withCanary(o)
	if err != nil {
		return nil, err
	}
	return p.Canary.Base.Body, nil
}

func withCanary(o *store.Object) (*Policy, error) {
	p, err := Read(o)
	if err == nil && p.Canary == nil {
		return nil, ErrNoCanary
	}
	return p, err
}

// The hash is FNV-1a of 64 bits over the name and the id (Fowler, Noll, Vo), with
// the finalizer of MurmurHash3, without which ids that differ in their last bytes only
// would share their high bits. It must stay as it is: nodes of several releases have
// to agree.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func hash(state uint64, text []byte) uint64 {
	for _, b := range text {
		state = (state ^ uint64(b)) * fnvPrime
	}
	return state
}

func mixed(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
