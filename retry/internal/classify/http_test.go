package classify

import (
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// TestHTTP is the table of statuses without headers.
func TestHTTP(t *testing.T) {
	for status := 100; status < 700; status++ {
		category, effect := Unknown, Maybe
		switch {
		case status >= 200 && status < 300:
			category, effect = "", ""
		case status == 408:
			category = Timeout
		case status == 421, status == 425:
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
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			v := HTTP(status, nil, noon)
			if v.Category != category || v.Effect != effect || v.Hint != (Hint{}) {
				t.Errorf("%+v", v)
			}
			if category != "" && v.Code != strconv.Itoa(status) {
				t.Errorf("code %q", v.Code)
			}
		})
	}
}

// TestHTTPHeaders is the table of answers with headers.
func TestHTTPHeaders(t *testing.T) {
	wait := Hint{After: 30 * time.Second}
	for name, c := range map[string]struct {
		status   int
		h        http.Header
		category Category
		hint     Hint
	}{
		"429 with Retry-After":     {429, headers("Retry-After", "30"), Throttled, wait},
		"503 with Retry-After":     {503, headers("Retry-After", "30"), Throttled, wait},
		"413 with Retry-After":     {413, headers("Retry-After", "30"), Throttled, wait},
		"423 with Retry-After":     {423, headers("Retry-After", "30"), Throttled, wait},
		"409 with Retry-After":     {409, headers("Retry-After", "30"), Permanent, wait},
		"302 with Retry-After":     {302, headers("Retry-After", "30"), Unknown, wait},
		"500 with Retry-After":     {500, headers("Retry-After", "30"), Unavailable, wait},
		"never":                    {503, headers("Outlast-Retry", "never", "Retry-After", "30"), Throttled, Hint{GiveUp: true}},
		"Never":                    {429, headers("Outlast-Retry", " Never "), Throttled, Hint{GiveUp: true}},
		"our wait":                 {503, headers("Outlast-Retry", "30s", "Retry-After", "60"), Throttled, wait},
		"our wait on 400":          {400, headers("Outlast-Retry", "30s"), Throttled, wait},
		"our wait of nothing":      {404, headers("Outlast-Retry", "0s"), Throttled, Hint{}},
		"should not":               {503, headers("X-Should-Retry", "false", "Retry-After", "30"), Throttled, Hint{GiveUp: true}},
		"should not, Stripe":       {503, headers("Stripe-Should-Retry", "false"), Unavailable, Hint{GiveUp: true}},
		"should, 409":              {409, headers("X-Should-Retry", "true", "Retry-After", "30"), Unavailable, wait},
		"should, 429":              {429, headers("Stripe-Should-Retry", "True"), Throttled, Hint{}},
		"should, unreadable":       {400, headers("X-Should-Retry", "perhaps"), Permanent, Hint{}},
		"ours before should":       {503, headers("Outlast-Retry", "30s", "X-Should-Retry", "false"), Unavailable, wait},
		"429 with a window":        {429, headers("X-RateLimit-Reset", "30"), Throttled, wait},
		"429, hint before window":  {429, headers("Retry-After", "30", "X-RateLimit-Reset", "60"), Throttled, wait},
		"503 with a window":        {503, headers("X-RateLimit-Reset", "30"), Unavailable, Hint{}},
		"529":                      {529, headers("Retry-After", "30"), Throttled, wait},
		"our header is unreadable": {429, headers("Outlast-Retry", "soon", "Retry-After", "30"), Throttled, wait},
	} {
		t.Run(name, func(t *testing.T) {
			v := HTTP(c.status, c.h, noon)
			if v.Category != c.category || v.Hint != c.hint {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestRateLimit(t *testing.T) {
	later := strconv.FormatInt(noon.Add(90*time.Second).Unix(), 10)
	for name, c := range map[string]struct {
		h    http.Header
		wait time.Duration
		ok   bool
	}{
		"none":                   {headers(), 0, false},
		"used up":                {headers("RateLimit", `"default";r=0;t=30`), 30 * time.Second, true},
		"not used up":            {headers("RateLimit", `"default";r=5;t=30`), 0, false},
		"the longest":            {headers("RateLimit", `"a";r=0;t=30, "b;r=0;t=99,";r=1;t=5, "c\"," ; r=0; t=60`), time.Minute, true},
		"no time":                {headers("RateLimit", `"default";r=0`), 0, false},
		"no parameters":          {headers("RateLimit", `"default"`), 0, false},
		"older draft":            {headers("RateLimit-Remaining", "0", "RateLimit-Reset", "30"), 30 * time.Second, true},
		"older draft, remaining": {headers("RateLimit-Remaining", "1", "RateLimit-Reset", "30"), 0, false},
		"seconds":                {headers("X-RateLimit-Reset", "30"), 30 * time.Second, true},
		"seconds, remaining":     {headers("X-RateLimit-Remaining", "3", "X-RateLimit-Reset", "30"), 0, false},
		"time":                   {headers("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", later), 90 * time.Second, true},
		"time in milliseconds":   {headers("X-RateLimit-Reset", later+"500"), 90*time.Second + 500*ms, true},
		"other clock": {headers("X-RateLimit-Reset", later, "Date", noon.Add(time.Minute).UTC().Format(http.TimeFormat)),
			30 * time.Second, true},
		"time in the past": {headers("X-RateLimit-Reset", "1000000000"), 0, true},
		"a date in words":  {headers("X-RateLimit-Reset", "Tue Feb 16 2021"), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if wait, ok := parseRateLimit(header(c.h), noon); wait != c.wait || ok != c.ok {
				t.Errorf("%v, %v", wait, ok)
			}
		})
	}
}

func FuzzRateLimit(f *testing.F) {
	for _, seed := range []string{`"a";r=0;t=30`, `"a;r=0,";r=0;t=5,x;t=9`, `"\`, "9223372036854775807", "-1", "1e9"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, limit, reset string) {
		wait, ok := parseRateLimit(header{"Ratelimit": {limit}, "X-Ratelimit-Reset": {reset}}, noon)
		if wait < 0 || !ok && wait != 0 {
			t.Errorf("%v, %v", wait, ok)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	later := noon.Add(90 * time.Second)
	for name, c := range map[string]struct {
		h    http.Header
		wait time.Duration
		ok   bool
	}{
		"none":                {headers(), 0, false},
		"seconds":             {headers("Retry-After", "120"), 2 * time.Minute, true},
		"spaces":              {headers("Retry-After", " 120 "), 2 * time.Minute, true},
		"zero":                {headers("Retry-After", "0"), 0, true},
		"negative":            {headers("Retry-After", "-5"), 0, true},
		"enormous":            {headers("Retry-After", "99999999999999999999999"), math.MaxInt64, true},
		"large":               {headers("Retry-After", "9223372036854775807"), math.MaxInt64, true},
		"fraction":            {headers("Retry-After", "1.5"), 0, false},
		"words":               {headers("Retry-After", "soon"), 0, false},
		"minus":               {headers("Retry-After", "-"), 0, false},
		"date":                {headers("Retry-After", later.Format(http.TimeFormat)), 90 * time.Second, true},
		"RFC 850 date":        {headers("Retry-After", later.Format("Monday, 02-Jan-06 15:04:05 GMT")), 90 * time.Second, true},
		"asctime date":        {headers("Retry-After", later.Format(time.ANSIC)), 90 * time.Second, true},
		"past date":           {headers("Retry-After", noon.Add(-time.Hour).Format(http.TimeFormat)), 0, true},
		"skewed clock":        {headers("Retry-After", later.Add(time.Hour).Format(http.TimeFormat), "Date", noon.Add(time.Hour).Format(http.TimeFormat)), 90 * time.Second, true},
		"unreadable Date":     {headers("Retry-After", later.Format(http.TimeFormat), "Date", "today"), 90 * time.Second, true},
		"milliseconds":        {headers("Retry-After-Ms", "1500"), 1500 * ms, true},
		"AWS milliseconds":    {headers("X-Amz-Retry-After", "250"), 250 * ms, true},
		"seconds come first":  {headers("Retry-After", "2", "Retry-After-Ms", "1500"), 2 * time.Second, true},
		"unreadable, then ms": {headers("Retry-After", "x", "Retry-After-Ms", "1500"), 1500 * ms, true},
	} {
		wait, ok := RetryAfter(c.h, noon)
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
		wait, ok := RetryAfter(http.Header{"Retry-After": {value}, "Date": {date}}, noon)
		if wait < 0 || !ok && wait != 0 {
			t.Errorf("%v, %v", wait, ok)
		}
	})
}
