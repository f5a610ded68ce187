package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be its own child process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		main()
	}
	os.Exit(m.Run())
}

// Every bench runs through and reports figures, in miniature.
func TestBenches(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes and takes seconds")
	}
	for _, b := range benches() {
		t.Run(b.id, func(t *testing.T) {
			var out, messages bytes.Buffer
			args := []string{"run", b.id, "--runs", "1", "--n", "2000", "--seconds", "1", "--waiting", "2000", "--json", "--dir", t.TempDir()}
			if code := run(t.Context(), args, &out, &messages); code != 0 {
				t.Fatalf("exit code %d: %s", code, messages.String())
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			for _, line := range lines {
				var f figure
				if err := json.Unmarshal([]byte(line), &f); err != nil {
					t.Fatalf("%v in %q", err, line)
				}
				system, store, runs := outlastName, "sqlite", 1
				if b.storeless {
					store = storeless
				}
				if b.compared {
					system, runs = f.System, rounds
				}
				if !strings.HasPrefix(f.Bench, b.id) || f.System != system || f.Store != store || f.N == 0 || len(f.Runs) != runs {
					t.Errorf("incomplete: %s", line)
				}
				if strings.HasSuffix(f.Bench, "/early") && f.Value != 0 {
					t.Errorf("tasks started early: %s", line)
				}
			}
		})
	}
}

func TestFigureIsMedianWithSpread(t *testing.T) {
	f := figure{Target: ">= 10"}
	for _, v := range []float64{30, 9, 11} {
		f.add(v)
	}
	if f.Value != 11 || f.Low != 9 || f.High != 30 || !*f.Reached {
		t.Errorf("%+v", f)
	}
	if f.add(5); f.Value != 10 || !*f.Reached {
		t.Errorf("of an even number: %+v", f)
	}
}

func TestQuantiles(t *testing.T) {
	var s samples
	for i := range 100 {
		s.add(time.Duration(100-i) * time.Millisecond)
	}
	if s.quantile(0.5) != 51 || s.quantile(0.99) != 100 || s.quantile(1) != 100 {
		t.Error(s.quantile(0.5), s.quantile(0.99), s.quantile(1))
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{
		{}, {"measure"}, {"run", "B99"}, {"run", "--runs", "0"}, {"run", "--peers", "river"}, {"run", "--store", "postgres://x"}, {"run", "--nonsense"},
	} {
		var out, messages bytes.Buffer
		if code := run(t.Context(), args, &out, &messages); code != 2 || messages.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, messages.String())
		}
	}
	c, err := parse([]string{"B1", "--n", "5", "B2", "--json", "--store", "sqlite:"}, os.Stderr)
	if err != nil || len(c.ids) != 2 || c.n != 5 || !c.json {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestStampedPayload(t *testing.T) {
	at, i, err := readStamp(stamped(7))
	if err != nil || i != 7 || time.Since(at) > time.Minute {
		t.Error(at, i, err)
	}
}
