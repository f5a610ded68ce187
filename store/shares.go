package store

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// ShareLimits bound the tasks of each share key of a queue, over all nodes. The tasks
// without one are bound as those of one key.
type ShareLimits struct {
	Concurrency int       // running tasks, 0 for no limit
	Rate        ShareRate // starts, "" for no limit
}

// ShareRate is how many tasks of a share key start in a time: a number, a slash and s, m
// or h, such as 50/s. "" is no limit.
type ShareRate string

// MostShareRate is the greatest number in a [ShareRate].
const MostShareRate = 1_000_000

var shareTimes = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// Parse is the number and the time, which are zero for no limit.
func (r ShareRate) Parse() (starts int, in time.Duration, err error) {
	if r == "" {
		return 0, 0, nil
	}
	number, unit, _ := strings.Cut(string(r), "/")
	starts, err = strconv.Atoi(number)
	in = shareTimes[unit]
	if err != nil || in == 0 || starts < 1 || starts > MostShareRate {
		return 0, 0, task.Invalid("shares.rate", fmt.Sprintf("%.64q is not a rate", string(r)), "say a number up to 1000000, a slash and s, m or h: 50/s")
	}
	return starts, in, nil
}

// Gap is the time between two starts under the rate, 0 for no limit or one that does not
// parse.
func (r ShareRate) Gap() time.Duration {
	starts, in, err := r.Parse()
	if err != nil || starts == 0 {
		return 0
	}
	return in / time.Duration(starts)
}
