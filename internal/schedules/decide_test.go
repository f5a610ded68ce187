package schedules_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/task"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func at(clock string) time.Time {
	t, err := time.Parse("15:04:05", clock)
	if err != nil {
		panic(err)
	}
	return noon.Truncate(24 * time.Hour).Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second)
}

func clocks(ticks []time.Time) (out []string) {
	for _, tick := range ticks {
		out = append(out, tick.Format("15:04:05"))
	}
	return out
}

func times(t rapid.TB, s *inspect.Schedule) schedules.Times {
	t.Helper()
	ticks, err := schedules.TimesOf(s)
	if err != nil {
		t.Fatal(err)
	}
	return ticks
}

// TestDecide is the table of docs/how-to/schedules.md: a schedule of every minute, at
// its tick of 12:00, after an outage of so long.
func TestDecide(t *testing.T) {
	last := task.NewID(noon, rand.New(rand.NewPCG(1, 2)))
	for _, c := range []struct {
		name    string
		misfire inspect.Misfire
		window  time.Duration
		overlap inspect.Overlap
		busy    bool
		now     string

		fire, waiting   []string
		next            string
		missed, skipped int
		canceled        bool
	}{
		{name: "not yet", now: "11:59:59", next: "12:00:00"},
		{name: "in time", now: "12:00:00", fire: []string{"12:00:00"}, next: "12:01:00"},
		{name: "late, but within the tolerance", misfire: inspect.MisfireSkip, now: "12:00:10", fire: []string{"12:00:00"}, next: "12:01:00"},
		{name: "missed, skip", misfire: inspect.MisfireSkip, now: "12:00:11", next: "12:01:00", missed: 1},
		{name: "missed, fire once", misfire: inspect.FireOnce, now: "12:00:11", fire: []string{"12:00:00"}, next: "12:01:00"},
		{name: "missed, by default", now: "12:00:11", fire: []string{"12:00:00"}, next: "12:01:00"},
		{name: "several missed, skip", misfire: inspect.MisfireSkip, now: "12:05:30", next: "12:06:00", missed: 6},
		{name: "several missed, fire once", misfire: inspect.FireOnce, now: "12:05:30", fire: []string{"12:05:00"}, next: "12:06:00", missed: 5},
		{name: "several missed and one in time, skip", misfire: inspect.MisfireSkip, now: "12:05:05", fire: []string{"12:05:00"}, next: "12:06:00", missed: 5},
		{name: "several missed and one in time, fire once", misfire: inspect.FireOnce, now: "12:05:05", fire: []string{"12:04:00", "12:05:00"}, next: "12:06:00", missed: 4},
		{name: "several missed, fire all", misfire: inspect.FireAll, now: "12:02:30", fire: []string{"12:00:00", "12:01:00", "12:02:00"}, next: "12:03:00"},
		{name: "fire all in a window", misfire: inspect.FireAll, window: 2 * time.Minute, now: "12:05:30", fire: []string{"12:04:00", "12:05:00"}, next: "12:06:00", missed: 4},
		{name: "a window below the tolerance", misfire: inspect.FireAll, window: time.Second, now: "12:00:08", fire: []string{"12:00:00"}, next: "12:01:00"},

		{name: "allow", overlap: inspect.OverlapAllow, busy: true, now: "12:00:00", fire: []string{"12:00:00"}, next: "12:01:00"},
		{name: "skip, busy", overlap: inspect.OverlapSkip, busy: true, now: "12:00:00", next: "12:01:00", skipped: 1},
		{name: "skip, not busy", overlap: inspect.OverlapSkip, now: "12:00:00", fire: []string{"12:00:00"}, next: "12:01:00"},
		{name: "skip, the first keeps out the others", misfire: inspect.FireAll, overlap: inspect.OverlapSkip, now: "12:02:00", fire: []string{"12:00:00"}, next: "12:03:00", skipped: 2},
		{name: "replace, busy", overlap: inspect.OverlapReplace, busy: true, now: "12:00:00", fire: []string{"12:00:00"}, next: "12:01:00", canceled: true},
		{name: "replace, not busy", overlap: inspect.OverlapReplace, now: "12:00:00", fire: []string{"12:00:00"}, next: "12:01:00"},
		{name: "replace, the last of several", misfire: inspect.FireAll, overlap: inspect.OverlapReplace, busy: true, now: "12:02:00", fire: []string{"12:02:00"}, next: "12:03:00", skipped: 2, canceled: true},
		{name: "queue, busy", overlap: inspect.OverlapQueue, busy: true, now: "12:00:00", waiting: []string{"12:00:00"}, next: "12:01:00"},
		{name: "queue, not busy", misfire: inspect.FireAll, overlap: inspect.OverlapQueue, now: "12:01:00", fire: []string{"12:00:00"}, waiting: []string{"12:01:00"}, next: "12:02:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &inspect.Schedule{Name: "s", Cron: "* * * * *", Misfire: c.misfire, Window: c.window, Overlap: c.overlap}
			d := schedules.Decide(s, times(t, s), inspect.ScheduleState{Definition: "x", Next: noon, LastTask: last}, c.busy, at(c.now))
			if got := clocks(d.Fire); !slices.Equal(got, c.fire) {
				t.Errorf("fires %v, want %v", got, c.fire)
			}
			if got := clocks(d.State.Waiting); !slices.Equal(got, c.waiting) {
				t.Errorf("waiting %v, want %v", got, c.waiting)
			}
			if got := d.State.Next.Format("15:04:05"); got != c.next {
				t.Errorf("next %v, want %v", got, c.next)
			}
			if d.Missed != c.missed || d.Skipped != c.skipped || d.State.Missed != int64(c.missed) || d.State.Skipped != int64(c.skipped) {
				t.Errorf("missed %d (%d), skipped %d (%d), want %d and %d", d.Missed, d.State.Missed, d.Skipped, d.State.Skipped, c.missed, c.skipped)
			}
			if got := slices.Equal(d.State.Cancel, []task.ID{last}); got != c.canceled {
				t.Errorf("cancels %v", d.State.Cancel)
			}
			if int(d.State.Fired) != len(c.fire) || d.Changed != (c.now != "11:59:59") || d.More {
				t.Errorf("fired %d, changed %v, more %v", d.State.Fired, d.Changed, d.More)
			}
		})
	}
}

// TestWaitingTicksGoOn: what waits runs one by one, in order, before newer ticks.
func TestWaitingTicksGoOn(t *testing.T) {
	s := &inspect.Schedule{Name: "s", Cron: "* * * * *", Overlap: inspect.OverlapQueue}
	state := inspect.ScheduleState{Definition: "x", Next: at("12:02:00"), Waiting: []time.Time{at("12:00:00"), at("12:01:00")}}
	d := schedules.Decide(s, times(t, s), state, true, at("12:01:30"))
	if d.Changed || len(d.Fire) > 0 || len(d.State.Waiting) != 2 {
		t.Errorf("busy: %+v", d)
	}
	d = schedules.Decide(s, times(t, s), state, false, at("12:02:00"))
	if got := clocks(append(d.Fire, d.State.Waiting...)); !slices.Equal(got, []string{"12:00:00", "12:01:00", "12:02:00"}) || len(d.Fire) != 1 {
		t.Errorf("fires %v, then waits %v", clocks(d.Fire), clocks(d.State.Waiting))
	}
	state.Waiting = make([]time.Time, schedules.MostWaiting)
	if d = schedules.Decide(s, times(t, s), state, true, at("12:02:00")); len(d.State.Waiting) != schedules.MostWaiting || d.Skipped != 1 {
		t.Errorf("%d wait, %d skipped", len(d.State.Waiting), d.Skipped)
	}
}

// TestPausedDoesNothing: neither ticks nor counts.
func TestPausedDoesNothing(t *testing.T) {
	s := &inspect.Schedule{Name: "s", Cron: "* * * * *"}
	d := schedules.Decide(s, times(t, s), inspect.ScheduleState{Definition: "x", Next: noon, Paused: true}, false, noon.Add(time.Hour))
	if d.Changed || len(d.Fire) > 0 {
		t.Errorf("got %+v", d)
	}
	resumed := schedules.Resume(d.State, times(t, s), noon.Add(90*time.Second))
	if resumed.Paused || !resumed.Next.Equal(noon.Add(2*time.Minute)) {
		t.Errorf("got %+v", resumed)
	}
}

// TestRebase: a tick that is due stays when the rule changes, and the new rule
// begins at the change.
func TestRebase(t *testing.T) {
	s := &inspect.Schedule{Name: "s", Cron: "*/10 * * * *"}
	fresh := schedules.Rebase(inspect.ScheduleState{}, "new", times(t, s), at("12:05:00"))
	if clocks([]time.Time{fresh.Next})[0] != "12:10:00" {
		t.Errorf("fresh: %+v", fresh)
	}
	waits := schedules.Rebase(inspect.ScheduleState{Definition: "old", Next: at("12:06:00")}, "new", times(t, s), at("12:05:00"))
	if clocks([]time.Time{waits.Next})[0] != "12:10:00" {
		t.Errorf("not due: %+v", waits)
	}
	due := schedules.Rebase(inspect.ScheduleState{Definition: "old", Next: at("11:04:59")}, "new", times(t, s), at("12:05:00"))
	d := schedules.Decide(s, times(t, s), due, false, at("12:05:00"))
	if !slices.Equal(clocks(d.Fire), []string{"11:04:59"}) || clocks([]time.Time{d.State.Next})[0] != "12:10:00" || d.Missed != 0 {
		t.Errorf("due: %+v", d)
	}
	if same := schedules.Rebase(due, "new", times(t, s), at("13:00:00")); !same.Next.Equal(due.Next) {
		t.Errorf("the same rule: %+v", same)
	}
}

// TestLongOutage: a year of ticks of every second is passed over quickly, and
// the last one runs.
func TestLongOutage(t *testing.T) {
	s := &inspect.Schedule{Name: "s", Cron: "* * * * * *"}
	began := time.Now()
	d := schedules.Decide(s, times(t, s), inspect.ScheduleState{Definition: "x", Next: noon.AddDate(-1, 0, 0)}, false, noon)
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %s", took)
	}
	if got := clocks(d.Fire); len(got) != 12 || got[0] != "11:59:49" || got[11] != "12:00:00" {
		t.Errorf("fires %v", got)
	}
	once := &inspect.Schedule{Name: "s", At: noon.AddDate(-1, 0, 0)}
	if d := schedules.Decide(once, times(t, once), inspect.ScheduleState{Definition: "x", Next: once.At}, false, noon); len(d.Fire) != 1 || !d.State.Next.IsZero() {
		t.Errorf("a single tick: %+v", d)
	}
}

// TestEveryTickOnce compares decisions at random moments, with a crash that
// forgets a decision now and then, with the plain list of ticks: by fire_all
// each is fired once, in order.
func TestEveryTickOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &inspect.Schedule{
			Name: "s", Cron: rapid.SampledFrom([]string{"*/7 * * * * *", "*/5 * * * *", "0,1,59 * * * * *"}).Draw(t, "cron"),
			Misfire: inspect.FireAll, Window: schedules.MaxWindow,
		}
		ticks := times(t, s)
		state := schedules.Rebase(inspect.ScheduleState{}, "x", ticks, noon)
		var fired []time.Time
		now := noon
		for range rapid.IntRange(1, 30).Draw(t, "looks") {
			now = now.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "seconds")) * time.Second)
			for more := true; more; {
				d := schedules.Decide(s, ticks, state, false, now)
				if rapid.Bool().Draw(t, "lost") { // decided again, to the same end
					d = schedules.Decide(s, ticks, state, false, now)
				}
				state, more = stored(t, d.State), d.More
				fired = append(fired, d.Fire...)
			}
		}
		var want []time.Time
		for next, _ := ticks.After(noon); !next.After(now); next, _ = ticks.After(next) {
			want = append(want, next)
		}
		if !slices.EqualFunc(fired, want, time.Time.Equal) {
			t.Fatalf("fired %v\nwant %v", clocks(fired), clocks(want))
		}
	})
}

// stored is a state after it was kept as JSON.
func stored(t rapid.TB, state inspect.ScheduleState) (out inspect.ScheduleState) {
	text, err := json.Marshal(state)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
