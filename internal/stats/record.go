package stats

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
)

// Kind is the kind of the objects that hold the counts; their names are types.
const Kind = "stats"

// How much is kept; see the package comment.
const (
	mostPeriods = 5
	mostTypes   = 500
	retention   = 30 * 24 * time.Hour
)

// record is what is kept of a type.
type record struct {
	Release       map[string]*period `json:"release,omitempty"`
	PolicyVersion map[string]*period `json:"policy_version,omitempty"`
}

// period is the time of one release or policy version.
type period struct {
	Since    time.Time       `json:"since"`
	Last     time.Time       `json:"last"`
	Attempts map[int]*counts `json:"attempts"` // by number
}

// counts are of attempts of one number.
type counts struct {
	Count  int   `json:"n"`
	Failed int   `json:"f,omitempty"`
	Run    times `json:"r"`
	Delay  times `json:"d"`
}

func (r *record) periods(by inspect.ComparisonBy) map[string]*period {
	if by == inspect.ByRelease {
		return r.Release
	}
	return r.PolicyVersion
}

func readRecord(body []byte) *record {
	r := &record{}
	if json.Unmarshal(body, r) != nil {
		*r = record{} // of a later program: it begins anew
	}
	return r
}

// add adds the counts of attempts that ended until now.
func (r *record) add(other *record) {
	r.Release, r.PolicyVersion = merged(r.Release, other.Release), merged(r.PolicyVersion, other.PolicyVersion)
}

func merged(into, from map[string]*period) map[string]*period {
	if into == nil {
		into = map[string]*period{}
	}
	for name, p := range from {
		known := into[name]
		if known == nil {
			known = &period{Since: p.Since, Attempts: map[int]*counts{}}
			into[name] = known
		}
		if p.Last.After(known.Last) {
			known.Last = p.Last
		}
		for number, c := range p.Attempts {
			sum := known.of(number)
			sum.Count, sum.Failed = sum.Count+c.Count, sum.Failed+c.Failed
			sum.Run, sum.Delay = sum.Run.with(c.Run), sum.Delay.with(c.Delay)
		}
	}
	return into
}

func (p *period) of(number int) *counts {
	if p.Attempts == nil {
		p.Attempts = map[int]*counts{}
	}
	if p.Attempts[number] == nil {
		p.Attempts[number] = &counts{Run: times{}, Delay: times{}}
	}
	return p.Attempts[number]
}

// body is the record as it is kept: without the oldest periods where there are too
// many or they take too much room.
func (r *record) body() ([]byte, error) {
	for most := mostPeriods; ; most-- {
		r.Release, r.PolicyVersion = latest(r.Release, most), latest(r.PolicyVersion, most)
		body, err := json.Marshal(r)
		if err != nil || len(body) <= store.MaxObject || most == 1 {
			return body, err
		}
	}
}

func latest(all map[string]*period, most int) map[string]*period {
	if len(all) <= most {
		return all
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(all[b].Last.Compare(all[a].Last), cmp.Compare(a, b))
	})
	kept := make(map[string]*period, most)
	for _, name := range names[:most] {
		kept[name] = all[name]
	}
	return kept
}
