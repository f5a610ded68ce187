package schedules_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/internal/schedules"
)

// Zones with every kind of change: by an hour, half an hour, at midnight, of a
// whole day, on both hemispheres, of the standard time itself, and none.
var zones = []string{
	"Africa/Cairo", "Africa/Casablanca", "Africa/Johannesburg", "America/Asuncion", "America/Chicago",
	"America/Havana", "America/Los_Angeles", "America/Mexico_City", "America/New_York", "America/Nuuk",
	"America/Santiago", "America/Sao_Paulo", "America/Scoresbysund", "America/St_Johns", "Antarctica/Troll",
	"Asia/Almaty", "Asia/Amman", "Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem",
	"Asia/Kathmandu", "Asia/Kolkata", "Asia/Shanghai", "Asia/Tehran", "Asia/Tokyo",
	"Atlantic/Azores", "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Sydney", "Europe/Berlin",
	"Europe/Chisinau", "Europe/Dublin", "Europe/Istanbul", "Europe/London", "Europe/Moscow",
	"Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter", "UTC",
}

// matcher says by hand which times of the day and days an expression names.
type matcher struct {
	expression string
	elapsed    bool
	time       func(hour, minute int) bool
	day        func(time.Time) bool // nil: every
}

var matchers = []matcher{
	{"*/15 * * * *", true, func(_, minute int) bool { return minute%15 == 0 }, nil},
	{"30 * * * *", true, func(_, minute int) bool { return minute == 30 }, nil},
	{"30 2 * * *", false, func(hour, minute int) bool { return hour == 2 && minute == 30 }, nil},
	{"*/10 0-3 * * *", false, func(hour, minute int) bool { return hour <= 3 && minute%10 == 0 }, nil},
	{"0 */2 * * *", false, func(hour, minute int) bool { return hour%2 == 0 && minute == 0 }, nil},
	{
		"15 0,23 1,15 * *", false, func(hour, minute int) bool { return (hour == 0 || hour == 23) && minute == 15 },
		func(day time.Time) bool { return day.Day() == 1 || day.Day() == 15 },
	},
	{
		"45 1 * * SUN", false, func(hour, minute int) bool { return hour == 1 && minute == 45 },
		func(day time.Time) bool { return day.Weekday() == time.Sunday },
	},
	{
		"5 3 L * ?", false, func(hour, minute int) bool { return hour == 3 && minute == 5 },
		func(day time.Time) bool { return day.AddDate(0, 0, 1).Day() == 1 },
	},
}

func (m *matcher) matches(shows time.Time) bool {
	minutes := int(shows.Unix() / 60 % (24 * 60))
	return m.time(minutes/60, minutes%60) && (m.day == nil || m.day(shows))
}

// look is the step of brute force: all that matchers name, and all changes of
// clocks in those years, are multiples of it.
const look = 5 * time.Minute

// Two years, step by step, in forty zones.
func TestTimesAreThoseOfBruteForce(t *testing.T) {
	racetest.WithoutDetector(t)
	begin, end := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	some := zones
	if testing.Short() {
		some = []string{"Africa/Casablanca", "America/St_Johns", "Australia/Lord_Howe", "Europe/Berlin", "Pacific/Apia"}
	}
	for _, zone := range some {
		t.Run(strings.ReplaceAll(zone, "/", "_"), func(t *testing.T) {
			t.Parallel()
			want := bruteForce(t, zone, begin, end)
			for i, m := range matchers {
				times, err := schedules.Cron(m.expression, zone, time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				at := begin.Add(-1)
				for _, fires := range want[i] {
					next, ok := times.After(at)
					if !ok || !next.Equal(fires) {
						t.Fatalf("%s after %s: %s, not %s", m.expression, at, next, fires)
					}
					at = next
				}
				if next, _ := times.After(at); next.Before(end) {
					t.Fatalf("%s fires at %s too", m.expression, next)
				}
			}
		})
	}
}

// bruteForce looks at a clock at every step and writes down what fires.
func bruteForce(t *testing.T, zone string, begin, end time.Time) (fires [][]time.Time) {
	location, err := schedules.Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	fires = make([][]time.Time, len(matchers))
	last := shownAt(begin.Add(-look), location) // what the clock showed a step ago
	latest := last                              // and the latest that it has shown
	for now := begin; now.Before(end); now = now.Add(look) {
		shows := shownAt(now, location)
		for i := range matchers {
			m := &matchers[i]
			fire := m.matches(shows) && (m.elapsed || shows.After(latest))
			if !m.elapsed && !fire {
				for skipped := last.Add(look); skipped.Before(shows) && !fire; skipped = skipped.Add(look) {
					fire = skipped.After(latest) && m.matches(skipped)
				}
			}
			if fire {
				fires[i] = append(fires[i], now)
			}
		}
		if last = shows; shows.After(latest) {
			latest = shows
		}
	}
	return fires
}

func shownAt(now time.Time, location *time.Location) time.Time {
	_, offset := now.In(location).Zone()
	return now.Add(time.Duration(offset) * time.Second).UTC()
}

func TestSeconds(t *testing.T) {
	times, err := schedules.Cron("15,45 */30 12 29 FEB ?", "Asia/Shanghai", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2096, 3, 1, 0, 0, 0, 0, time.UTC) // 2100 has no February 29th
	for _, want := range []string{"2104-02-29T04:00:15Z", "2104-02-29T04:00:45Z", "2104-02-29T04:30:15Z"} {
		next, ok := times.After(at)
		if !ok || next.Format(time.RFC3339) != want {
			t.Fatalf("%s, not %s", next.Format(time.RFC3339), want)
		}
		at = next
	}
}

// Whatever the moment: the next time is after it, and there is none between.
func TestNextIsTheNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		m := rapid.SampledFrom(matchers).Draw(t, "expression")
		times, err := schedules.Cron(m.expression, zone, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
		next, ok := times.After(at)
		if !ok || !next.After(at) {
			t.Fatalf("%s is not after %s", next, at)
		}
		between := at.Add(time.Duration(rapid.Int64Range(0, int64(next.Sub(at))-1).Draw(t, "between")))
		if again, _ := times.After(between); !again.Equal(next) {
			t.Fatalf("after %s comes %s, but after %s comes %s", at, next, between, again)
		}
	})
}

func TestEvery(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	times, err := schedules.Every(90*time.Second, start)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, -1: 0, 0: 90 * time.Second, 89 * time.Second: 90 * time.Second, 90 * time.Second: 180 * time.Second,
	} {
		if next, ok := times.After(start.Add(after)); !ok || next.Sub(start) != want {
			t.Errorf("after %s: %s, %t", after, next.Sub(start), ok)
		}
	}
	if _, err := schedules.Every(time.Second-1, start); err == nil {
		t.Error("an interval below a second was taken")
	}
}

func TestAt(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if next, ok := schedules.At(at).After(at.Add(-1)); !ok || !next.Equal(at) {
		t.Error(next, ok)
	}
	if _, ok := schedules.At(at).After(at); ok {
		t.Error("it fires twice")
	}
	if _, ok := (schedules.Times{}).After(at); ok {
		t.Error("the zero value fires")
	}
}

func TestRefusals(t *testing.T) {
	for expression, reason := range map[string]string{
		"":                              "fields",
		"* * * *":                       "fields",
		"0 0 0 * * * 2026":              "fields",
		"0 0 30 2 *":                    "never fires",
		"0 0 31 2,4,6,9,11 *":           "never fires",
		"* * * * * *":                   "1s apart",
		"0,59 * * * * *":                "59s apart",
		"*/0 * * * *":                   "malformed",
		"60 * * * *":                    "not a cron expression",
		"0 24 * * *":                    "not a cron expression",
		"0 0 0 * *":                     "not a cron expression",
		"1-99999999 * * * *":            "malformed",
		"TZ=UTC 0 0 * * *":              "malformed",
		"@every 1s":                     "fields",
		"a b c d e":                     "malformed",
		strings.Repeat("0,", 200) + "0": "bytes",
	} {
		if _, err := schedules.Cron(expression, "", time.Minute); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", expression, err)
		}
	}
	for _, zone := range []string{"Local", "../etc/passwd", "/etc/localtime", "Mars/Phobos", `a\b`} {
		if _, err := schedules.Cron("0 0 * * *", zone, 0); err == nil {
			t.Errorf("the zone %q was taken", zone)
		}
	}
}

func FuzzCron(f *testing.F) {
	for _, m := range matchers {
		f.Add(m.expression, "Europe/Berlin")
	}
	f.Add("0 0 12 15W * ?", "")
	f.Add("0 0 0 ? * FRI#5", "")
	f.Add("59 59 23 LW 12 *", "Asia/Kathmandu")
	f.Fuzz(func(t *testing.T, expression, zone string) {
		times, err := schedules.Cron(expression, zone, 0)
		if err != nil {
			return
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 5 {
			next, ok := times.After(at)
			if !ok {
				return
			}
			if !next.After(at) {
				t.Fatalf("%q in %q: %s is not after %s", expression, zone, next, at)
			}
			at = next
		}
	})
}
