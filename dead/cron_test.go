package dead

import (
	"testing"
	"time"
)

func TestCronNext(t *testing.T) {
	for _, c := range []struct{ expression, zone, now, want string }{
		{"0 3 * * *", "", "2026-03-01T02:59:59Z", "2026-03-01T03:00:00Z"},
		{"0 3 * * *", "", "2026-03-01T03:00:00Z", "2026-03-02T03:00:00Z"},
		{"0 3 * * ?", "Asia/Shanghai", "2026-03-01T00:00:00Z", "2026-03-01T19:00:00Z"},
		{"30 15 4 * * *", "", "2026-03-01T04:15:29Z", "2026-03-01T04:15:30Z"},
		{"0 0 29 2 *", "", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 3 * * MON", "", "2026-03-01T12:00:00Z", "2026-03-02T03:00:00Z"},
		{"*/15 * * * *", "", "2026-03-01T12:01:00Z", "2026-03-01T12:15:00Z"},
		{"0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"}, // the day of the change to summer time
	} {
		when, err := parseCron(c.expression, c.zone)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		now, _ := time.Parse(time.RFC3339, c.now)
		got, err := when.next(now)
		if err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s in %q after %s: %v, %v, want %s", c.expression, c.zone, c.now, got, err, c.want)
		}
	}
}

func FuzzCron(f *testing.F) {
	for _, seed := range []string{"0 3 * * *", "*/0 * * * *", "@daily", "1--100000000 * * * *", "0 0 31 2 *", "0 3 L * 5#2", "TZ=x 0 3 * * *"} {
		f.Add(seed)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, expression string) {
		when, err := parseCron(expression, "")
		if err != nil {
			return
		}
		for at := now; at.Before(now.Add(time.Hour)); {
			next, err := when.next(at)
			if err != nil || !next.After(at) {
				t.Fatalf("%q after %v: %v, %v", expression, at, next, err)
			}
			at = next
		}
	})
}
