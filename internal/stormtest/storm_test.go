package stormtest

import (
	"os"
	"testing"
	"time"
)

// brief is the shape of the runs beside the other tests.
func brief(outage mode) plan {
	return plan{outage: outage, before: 2 * time.Second, broken: 4 * time.Second, after: recoverWithin + settle + time.Second, early: true}
}

// inFlight is how many more goroutines there may be when every request takes its
// whole timeout: each has a connection, and a connection has two goroutines.
const inFlight = 3 * int(clients*patience/thinking)

// checkClients is what the adapter promises; extra is how many goroutines more there may be.
func (r *result) checkClients(t *testing.T, extra int) {
	t.Helper()
	r.checkBudget(t, allowed, r.end)
	r.checkLoad(t)
	r.checkRecovery(t)
	r.checkGoroutines(t, extra)
}

// TestClients: an outage is no storm, and when it is over it is over. The long run
// has a receiver that refuses connections as well.
func TestClients(t *testing.T) {
	for _, outage := range []mode{fails, hangs} {
		t.Run(string(outage), func(t *testing.T) {
			virtually(t, brief(outage), guarded).checkClients(t, 2*inFlight) // those of the receiver too
		})
	}
}

// TestControl: without guards the same outage is a storm, so the test above
// shows something.
func TestControl(t *testing.T) {
	p := brief(fails)
	p.after = time.Second
	r := virtually(t, p, fixed)
	before, during := r.rates(r.arrived)
	t.Logf("attempts: %.0f/s before the outage, %.0f/s in it", before, during)
	if during < 3*before {
		t.Errorf("no storm\n%s", r)
	}
	if _, retries, most := allowed.worst(r.arrived); float64(retries) <= most {
		t.Error("the control keeps the bound of the budget")
	}
}

// crew is how many more goroutines an engine may need while attempts hang, and
// when it catches up.
const crew = 600

// checkTasks is what the engine promises. Its budget binds as long as the target
// fails; afterwards the ramp lets out the retries that were held.
func (r *result) checkTasks(t *testing.T) {
	t.Helper()
	r.checkBudget(t, allowed, r.recovered)
	if all := r.arrived.between(0, r.end); float64(all.Retry) > allowed.Ratio*float64(all.First)+allowed.Floor*r.end.Seconds()+allowed.Burst {
		t.Errorf("%d retries of %d tasks\n%s", all.Retry, all.First, r)
	}
	r.checkLoad(t)
	r.checkRecovery(t)
	r.checkGoroutines(t, crew)
}

// TestTasks: durable tasks make no storm either. The simulator shows it in virtual time, by
// the engine's own agenda (T1); here is a disk, a network, and the speed of a machine.
func TestTasks(t *testing.T) {
	if os.Getenv("OUTLAST_FAULT_LONG") == "" {
		t.Skip("rates of a real machine: make faults")
	}
	p := brief(fails)
	carryOut(t, p, &tasks{t: t, policy: guardedTask, over: p.before + p.broken + p.after}).checkTasks(t)
}
