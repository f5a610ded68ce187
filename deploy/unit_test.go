package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func read(t *testing.T, file string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The unit is one that systemd takes, where it is installed, and gives a stop more time
// than running attempts and the engine may need: 25 s of grace and 15 s after them.
func TestUnit(t *testing.T) {
	unit := read(t, "systemd/outlast.service")
	found := regexp.MustCompile(`(?m)^TimeoutStopSec=(\S+)$`).FindStringSubmatch(unit)
	if found == nil {
		t.Fatal("the unit has no TimeoutStopSec")
	}
	if limit, err := time.ParseDuration(found[1]); err != nil || limit <= 40*time.Second {
		t.Errorf("TimeoutStopSec is %s, %v", found[1], err)
	}
	for _, line := range []string{"KillSignal=SIGTERM", "User=outlast", "StateDirectory=outlast", "ProtectSystem=strict", "NoNewPrivileges=yes", "Restart=always"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit lacks %s", line)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("systemd-analyze is not installed, and continuous integration looks at the unit: apt-get install systemd")
		}
		t.Skip("systemd-analyze is not installed")
	}
	file := filepath.Join(t.TempDir(), "outlast.service")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, "ExecStart=outlast", "ExecStart=/bin/true")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
