package report

import (
	"fmt"
	"strconv"
	"time"
)

// OldTransaction is the age from which a transaction is in the way of what removes
// dead rows.
const OldTransaction = 5 * time.Minute

// Number reads a setting or the answer of a query as a whole number, 0 for what is
// none.
func Number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// Size writes a number of bytes, an unknown amount when negative.
func Size(bytes int64) string {
	switch {
	case bytes < 0:
		return "an unknown amount"
	case bytes < 1<<20:
		return strconv.FormatInt(bytes>>10, 10) + " KiB"
	}
	return strconv.FormatInt(bytes>>20, 10) + " MiB"
}

// Seconds is a time that a database gives in seconds.
func Seconds(n float64) time.Duration {
	return time.Duration(n * float64(time.Second)).Round(time.Second)
}

// RoomFor adds whether a database server has room for more connections.
func (r *Report) RoomFor(used, limit int) {
	r.Limit = limit
	detail := fmt.Sprintf("%d of %d in use", used, limit)
	if limit-used < limit/10+3 {
		r.Add("connections", Warns, detail, "raise max_connections, or give nodes smaller pools: pool_max_conns in the store URL")
		return
	}
	r.Add("connections", Fine, detail, "")
}

// CompareClocks asks the database for its time a few times, and believes the
// quickest answer.
func (r *Report) CompareClocks(ask func() (time.Time, error)) error {
	var best, skew time.Duration = time.Hour, 0
	for range 5 {
		began := time.Now()
		theirs, err := ask()
		if err != nil {
			return err
		}
		if trip := time.Since(began); trip < best {
			best, skew = trip, theirs.Sub(began.Add(trip/2))
		}
	}
	detail := fmt.Sprintf("differs by %s from this machine's; a round trip takes %s", skew.Round(time.Millisecond), best.Round(10*time.Microsecond))
	switch {
	case skew.Abs() > time.Second:
		r.Add("database clock", Warns, detail+". Tasks become due by the database's clock, but times in requests are this machine's", "synchronise the clocks (NTP)")
	case best > slowTrip:
		r.Add("database clock", Warns, detail+", which limits the throughput of a node", "run nodes near the database")
	default:
		r.Add("database clock", Fine, detail, "")
	}
	return nil
}

// slowTrip is a round trip that is felt: every claim and settle takes some.
const slowTrip = 20 * time.Millisecond
