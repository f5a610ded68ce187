package options

import (
	"cmp"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/engine"
)

// Tuning are the limits of a node; [outlast.Tuning] says what its fields mean.
type Tuning struct {
	Slots      int
	NearFuture int
	Horizon    time.Duration
	Poll       time.Duration
	DeafPoll   time.Duration
	Batch      int
	Beat       time.Duration
	Grace      time.Duration
	Share      float64
	InFlight   int
}

// mostBatch is what a transaction of a store may have.
const mostBatch = 1000

// check refuses what no node can work with. A grace time below zero is none.
func (t Tuning) check(wrong *accept.Complaints) {
	for _, field := range []struct {
		name  string
		value int
	}{{"slots", t.Slots}, {"near_future", t.NearFuture}, {"batch", t.Batch}, {"in_flight", t.InFlight}} {
		if field.value < 0 {
			wrong.Add("tuning."+field.name, fmt.Sprintf("%d is negative", field.value), "leave it out for the default")
		}
	}
	for _, field := range []struct {
		name  string
		value time.Duration
	}{{"horizon", t.Horizon}, {"poll", t.Poll}, {"deaf_poll", t.DeafPoll}, {"beat", t.Beat}} {
		if field.value < 0 {
			wrong.Add("tuning."+field.name, field.value.String()+" is negative", "leave it out for the default")
		}
	}
	if t.Batch > mostBatch {
		wrong.Add("tuning.batch", fmt.Sprintf("%d is above %d", t.Batch, mostBatch), "")
	}
	if !(t.Share >= 0 && t.Share <= 1) {
		wrong.Add("tuning.share", fmt.Sprintf("%v is outside 0 to 1", t.Share), "leave it out for 0.5")
	}
}

// Over takes from below what t does not say.
func (t Tuning) Over(below Tuning) Tuning {
	return Tuning{
		Slots: cmp.Or(t.Slots, below.Slots), NearFuture: cmp.Or(t.NearFuture, below.NearFuture), Horizon: cmp.Or(t.Horizon, below.Horizon),
		Poll: cmp.Or(t.Poll, below.Poll), DeafPoll: cmp.Or(t.DeafPoll, below.DeafPoll), Batch: cmp.Or(t.Batch, below.Batch),
		Beat: cmp.Or(t.Beat, below.Beat), Grace: cmp.Or(t.Grace, below.Grace), Share: cmp.Or(t.Share, below.Share),
		InFlight: cmp.Or(t.InFlight, below.InFlight),
	}
}

// Into sets the limits of an engine, whose own defaults stand for zeros.
func (t Tuning) Into(c *engine.Config) {
	c.Slots, c.NearFuture, c.Horizon, c.Poll, c.DeafPoll = t.Slots, t.NearFuture, t.Horizon, t.Poll, t.DeafPoll
	c.Batch, c.Beat, c.Grace, c.Share, c.InFlight = t.Batch, t.Beat, t.Grace, t.Share, t.InFlight
}
