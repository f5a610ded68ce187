package sim

import (
	"testing"
	"time"
)

func TestScenarios(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.ID, func(t *testing.T) {
			begin := time.Now()
			logReport(t, s.Run(1, nil), time.Since(begin))
		})
	}
}

func logReport(t *testing.T, r *Report, took time.Duration) {
	t.Helper()
	for _, v := range r.Variants {
		line := ""
		for _, f := range v.Figures {
			line += "  " + f.Name + " " + quantity(f.Value, f.Unit)
		}
		t.Logf("%-32s amp %-7s peak1s %-7s peak10s %-7s success %-7s %s", v.Name, figure(v.Metrics.Amplification), figure(v.Metrics.Peak1s), figure(v.Metrics.Peak10s), figure(v.Metrics.Success), line)
	}
	for _, v := range r.Verdicts {
		t.Logf("%-60s %-20s %-20s %v", v.Name, v.Bound, v.Measured, v.OK)
	}
	t.Logf("%d events, %v, %.2f million/s", r.Events, took, float64(r.Events)/took.Seconds()/1e6)
}
