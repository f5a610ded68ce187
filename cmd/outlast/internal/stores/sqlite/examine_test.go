package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

func TestDoctorOfALongLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	for _, name := range []string{path, path + "-wal"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(path+"-wal", longLog+1); err != nil {
		t.Fatal(err)
	}
	r := doctor{report.New()}
	r.examineJournal(path)
	if status, detail := r.Verdict("wal"); status != report.Warns || !strings.Contains(detail, "256 MiB") {
		t.Errorf("%s: %s", status, detail)
	}
}

func TestDoctorOfSlowDisks(t *testing.T) {
	for name, c := range map[string]struct {
		times  []time.Duration
		err    error
		status string
	}{
		"fast, once slow": {[]time.Duration{time.Millisecond, time.Second, time.Millisecond}, nil, report.Fine},
		"slow":            {[]time.Duration{25 * time.Millisecond, 30 * time.Millisecond, time.Millisecond}, nil, report.Warns},
		"no right":        {nil, errors.New("permission denied"), report.Warns},
	} {
		r := doctor{report.New()}
		r.judgeSync(c.times, c.err)
		if status, detail := r.Verdict("disk flush"); status != c.status || r.Findings[0].Fix == "" && status != report.Fine {
			t.Errorf("%s: %s: %s", name, status, detail)
		}
	}
	r := doctor{report.New()}
	if r.examineSync(filepath.Join(t.TempDir(), "none")); r.Status != report.Warns {
		t.Errorf("%+v", r.Findings)
	}
}
