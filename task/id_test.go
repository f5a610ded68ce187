package task_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/task"
)

func TestIDCarriesTimeAndLane(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Date(2026, 11, 20, 10, 0, 0, 123e6, time.UTC)
	last := task.ID{}
	for lane := range 1000 {
		id := task.NewID(now.Add(time.Duration(lane)*time.Millisecond), random).WithLane(uint16(lane * 65))
		if id.Lane() != uint16(lane*65) || !id.Time().Equal(now.Add(time.Duration(lane)*time.Millisecond)) {
			t.Fatalf("%s: lane %d, time %s", id, id.Lane(), id.Time())
		}
		if id.Compare(last) <= 0 {
			t.Fatalf("%s does not come after %s", id, last)
		}
		last = id
		again, err := task.ParseID(id.String())
		if err != nil || again != id {
			t.Fatalf("%s reads as %s, %v", id, again, err)
		}
		upper, err := task.ParseID(strings.ToUpper(id.String()))
		if err != nil || upper != id {
			t.Fatalf("upper case: %v", err)
		}
	}
}

func TestBadIDs(t *testing.T) {
	for _, text := range []string{
		"", "x", "019a9f2e5c007abc8def0123456789ab", "019a9f2e-5c00-4abc-8def-0123456789ab", "019a9f2e-5c00-7abc-0def-0123456789ab",
		"019a9f2e-5c00-7abc-8def-0123456789a", "019a9f2e-5c00-7abc-8def-0123456789abc", "019a9f2e-5c00-7abc-8def-0123456789ag",
		"019a9f2e_5c00_7abc_8def_0123456789ab", "00000000-0000-0000-0000-000000000000", "{19a9f2e-5c00-7abc-8def-0123456789ab",
	} {
		_, err := task.ParseID(text)
		var wrong *task.Error
		if !errors.As(err, &wrong) || wrong.Code != task.CodeInvalid || wrong.Hint == "" || len(wrong.Fields) != 1 || wrong.Fields[0].Path != "id" {
			t.Errorf("%q: %v", text, err)
		}
	}
	var id task.ID
	if err := json.Unmarshal([]byte(`"nonsense"`), &id); err == nil || !id.IsZero() {
		t.Errorf("JSON: %v", err)
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("019a9f2e-5c00-7abc-8def-0123456789ab")
	f.Add("019A9F2E-5C00-7ABC-BDEF-0123456789AB")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := task.ParseID(text)
		if err == nil && id.String() != strings.ToLower(text) {
			t.Errorf("%q reads as %s", text, id)
		}
		if err != nil && !id.IsZero() {
			t.Errorf("%q is refused and reads as %s", text, id)
		}
	})
}

func TestRankAges(t *testing.T) {
	now := time.Now()
	if task.Rank(now, 9) >= task.Rank(now, 0) {
		t.Error("a higher priority does not go first")
	}
	// A low priority that has waited longer than the steps between goes first.
	if task.Rank(now.Add(-9*task.PriorityStep-time.Microsecond), 0) >= task.Rank(now, 9) {
		t.Error("ageing does not overtake priority")
	}
}
