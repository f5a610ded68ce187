package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	r := &report{Status: fine}
	r.examineJournal(path)
	if status, detail := r.verdict("wal"); status != warns || !strings.Contains(detail, "256 MiB") {
		t.Errorf("%s: %s", status, detail)
	}
}

func TestDoctorOfSlowDisks(t *testing.T) {
	for name, c := range map[string]struct {
		times  []time.Duration
		err    error
		status string
	}{
		"fast, once slow": {[]time.Duration{time.Millisecond, time.Second, time.Millisecond}, nil, fine},
		"slow":            {[]time.Duration{25 * time.Millisecond, 30 * time.Millisecond, time.Millisecond}, nil, warns},
		"no right":        {nil, errors.New("permission denied"), warns},
	} {
		r := &report{Status: fine}
		r.judgeSync(c.times, c.err)
		if status, detail := r.verdict("disk flush"); status != c.status || r.Findings[0].Fix == "" && status != fine {
			t.Errorf("%s: %s: %s", name, status, detail)
		}
	}
	r := &report{Status: fine}
	if r.examineSync(filepath.Join(t.TempDir(), "none")); r.Status != warns {
		t.Errorf("%+v", r.Findings)
	}
}
