package prove

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/store"
)

// place is a scratch place that cannot be made or dropped, and is soon held by somebody.
type place struct {
	kind.Scratch
	unmade, undropped error
	left              []string
	dropped           []string
}

func (*place) What(name string) string                        { return "schema " + name }
func (p *place) Make(context.Context, string) (string, error) { return "", p.unmade }
func (p *place) Left(context.Context) ([]string, error)       { return p.left, nil }
func (p *place) Drop(_ context.Context, name string) error {
	p.dropped = append(p.dropped, name)
	return p.undropped
}

// A place may be there though making it failed: it is dropped, or named. Nobody is told
// that it is gone when it is not.
func TestWhatIsMadeIsDroppedOrNamed(t *testing.T) {
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	lost := errors.New("the connection is lost")
	for _, test := range []struct {
		name    string
		ctx     context.Context
		place   *place
		says    []string
		dropped int
	}{
		{"half made", t.Context(), &place{unmade: lost}, []string{"the run could not finish: the connection is lost"}, 1},
		{"interrupted", interrupted, &place{unmade: lost}, []string{"schema s is dropped", "interrupted: no verdict"}, 1},
		{"interrupted, left behind", interrupted, &place{unmade: lost, undropped: lost}, []string{"interrupted: no verdict", "schema s is left behind, --clean drops it: the connection is lost"}, 1},
		{"no right", t.Context(), &place{unmade: store.ErrNoRight}, []string{store.ErrNoRight.Error()}, 0},
	} {
		var said bytes.Buffer
		tr := &trial{Env: &cli.Env{Messages: &said, RestoreSignals: func() {}}, options: &options{}}
		err := tr.inScratch(test.ctx, test.place, "s")
		if got := strings.Split(said.String()+err.Error(), "\n"); !slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, test.says[0]) }) ||
			len(got) != len(test.says) || !strings.Contains(got[len(got)-1], test.says[len(test.says)-1]) || len(test.place.dropped) != test.dropped {
			t.Errorf("%s: got %q, dropped %v", test.name, got, test.place.dropped)
		}
	}
}

// While the question waits for its answer, somebody may hold a place again.
func TestCleanLooksAgain(t *testing.T) {
	var said bytes.Buffer
	p := &place{left: []string{"b"}}
	if err := clean(t.Context(), &cli.Env{Messages: &said, Yes: true}, p, []string{"a", "b"}); err != nil || !slices.Equal(p.dropped, []string{"b"}) || !strings.Contains(said.String(), "schema a is dropped") {
		t.Errorf("dropped %v, %v: %s", p.dropped, err, said.String())
	}
}
