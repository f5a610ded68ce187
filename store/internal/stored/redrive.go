package stored

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// redriveBytes is how much may go back in one transaction, beside what a single letter
// has.
const redriveBytes = 16 << 20

// Redrive sends letters back in as few transactions as their sizes allow, in their
// order. The audit row is written with the first that sends anything. What was sent
// before an error is told with it.
func Redrive(ids []task.ID, sizes map[task.ID]int, options store.RedriveOptions,
	send func([]task.ID, store.RedriveOptions) ([]store.Redriven, []task.ID, error),
) (done []store.Redriven, missing []task.ID, err error) {
	for from := 0; from < len(ids); {
		to, sum := from+1, sizes[ids[from]]
		for to < len(ids) && sum+sizes[ids[to]] <= redriveBytes {
			sum += sizes[ids[to]]
			to++
		}
		part := options
		part.RunAt = options.RunAt[min(from, len(options.RunAt)):]
		if len(done) > 0 {
			part.Audit = nil
		}
		sent, lost, err := send(ids[from:to], part)
		done, missing = append(done, sent...), append(missing, lost...)
		if err != nil {
			return done, missing, err
		}
		from = to
	}
	return done, missing, nil
}
