package plan

import (
	"fmt"
	"strings"
	"time"
)

// Short writes a duration for people: rounded to about four digits and without
// zeros at its end, such as "66.67ms", "12.5s", "2m40s", "9h40m", "7.6d".
func Short(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%.3gd", float64(d)/float64(day))
	case d >= time.Hour:
		d = d.Round(time.Minute)
	case d >= time.Minute:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	}
	text := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if cut, found := strings.CutSuffix(text, tail); found {
			text = cut + tail[:1]
		}
	}
	return text
}
