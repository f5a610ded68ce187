package retry

import (
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"
)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// TestClassifyHTTP is the table of statuses without headers.
func TestClassifyHTTP(t *testing.T) {
	for status := 100; status < 700; status++ {
		category, effect := Unknown, Maybe
		switch {
		case status >= 200 && status < 300:
			category, effect = "", ""
		case status == 408:
			category = Timeout
		case status == 425:
			category, effect = Unsent, NotSent
		case status == 429:
			category, effect = Throttled, NotSent
		case status >= 400 && status < 500, status == 501, status == 505:
			category, effect = Permanent, Done
		case status >= 520 && status <= 524, status == 529:
			category = Throttled
		case status >= 500 && status < 600:
			category = Unavailable
		}
		v := ClassifyHTTP(status, nil, noon)
		if v.Category != category || v.Effect != effect || v.Hint != (Hint{}) {
			t.Errorf("%d: %+v", status, v)
		}
		if category != "" && v.Code != strconv.Itoa(status) {
			t.Errorf("%d: code %q", status, v.Code)
		}
	}
}

// TestClassifyHTTPHeaders is the table of answers with headers.
func TestClassifyHTTPHeaders(t *testing.T) {
	wait := Hint{After: 30 * time.Second}
	for name, c := range map[string]struct {
		status   int
		h        http.Header
		category Category
		hint     Hint
	}{
		"429 with Retry-After":     {429, header("Retry-After", "30"), Throttled, wait},
		"503 with Retry-After":     {503, header("Retry-After", "30"), Throttled, wait},
		"413 with Retry-After":     {413, header("Retry-After", "30"), Throttled, wait},
		"423 with Retry-After":     {423, header("Retry-After", "30"), Throttled, wait},
		"409 with Retry-After":     {409, header("Retry-After", "30"), Permanent, wait},
		"302 with Retry-After":     {302, header("Retry-After", "30"), Unknown, wait},
		"500 with Retry-After":     {500, header("Retry-After", "30"), Unavailable, wait},
		"never":                    {503, header("Outlast-Retry", "never", "Retry-After", "30"), Throttled, Hint{Never: true}},
		"Never":                    {429, header("Outlast-Retry", " Never "), Throttled, Hint{Never: true}},
		"our wait":                 {503, header("Outlast-Retry", "30s", "Retry-After", "60"), Throttled, wait},
		"our wait on 400":          {400, header("Outlast-Retry", "30s"), Throttled, wait},
		"our wait of nothing":      {404, header("Outlast-Retry", "0s"), Throttled, Hint{}},
		"our header is unreadable": {429, header("Outlast-Retry", "soon", "Retry-After", "30"), Throttled, wait},
	} {
		v := ClassifyHTTP(c.status, c.h, noon)
		if v.Category != c.category || v.Hint != c.hint {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestParseRetryAfter(t *testing.T) {
	later := noon.Add(90 * time.Second)
	for name, c := range map[string]struct {
		h    http.Header
		wait time.Duration
		ok   bool
	}{
		"none":                {header(), 0, false},
		"seconds":             {header("Retry-After", "120"), 2 * time.Minute, true},
		"spaces":              {header("Retry-After", " 120 "), 2 * time.Minute, true},
		"zero":                {header("Retry-After", "0"), 0, true},
		"negative":            {header("Retry-After", "-5"), 0, true},
		"enormous":            {header("Retry-After", "99999999999999999999999"), math.MaxInt64, true},
		"large":               {header("Retry-After", "9223372036854775807"), math.MaxInt64, true},
		"fraction":            {header("Retry-After", "1.5"), 0, false},
		"words":               {header("Retry-After", "soon"), 0, false},
		"minus":               {header("Retry-After", "-"), 0, false},
		"date":                {header("Retry-After", later.Format(http.TimeFormat)), 90 * time.Second, true},
		"RFC 850 date":        {header("Retry-After", later.Format("Monday, 02-Jan-06 15:04:05 GMT")), 90 * time.Second, true},
		"asctime date":        {header("Retry-After", later.Format(time.ANSIC)), 90 * time.Second, true},
		"past date":           {header("Retry-After", noon.Add(-time.Hour).Format(http.TimeFormat)), 0, true},
		"skewed clock":        {header("Retry-After", later.Add(time.Hour).Format(http.TimeFormat), "Date", noon.Add(time.Hour).Format(http.TimeFormat)), 90 * time.Second, true},
		"unreadable Date":     {header("Retry-After", later.Format(http.TimeFormat), "Date", "today"), 90 * time.Second, true},
		"milliseconds":        {header("Retry-After-Ms", "1500"), 1500 * ms, true},
		"AWS milliseconds":    {header("X-Amz-Retry-After", "250"), 250 * ms, true},
		"seconds come first":  {header("Retry-After", "2", "Retry-After-Ms", "1500"), 2 * time.Second, true},
		"unreadable, then ms": {header("Retry-After", "x", "Retry-After-Ms", "1500"), 1500 * ms, true},
	} {
		wait, ok := ParseRetryAfter(c.h, noon)
		if wait != c.wait || ok != c.ok {
			t.Errorf("%s: %v, %v", name, wait, ok)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"120", "-1", "Fri, 20 Nov 2026 12:01:30 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "9223372036854775807", ""} {
		f.Add(seed, "Fri, 20 Nov 2026 12:00:00 GMT")
		f.Add(seed, "Mon, 01 Jan 0001 00:00:00 GMT")
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		wait, ok := ParseRetryAfter(http.Header{"Retry-After": {value}, "Date": {date}}, noon)
		if wait < 0 || !ok && wait != 0 {
			t.Errorf("%v, %v", wait, ok)
		}
	})
}
