package deploy

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// busy makes a server do a little of everything that leaves a trace in its metrics.
const busy = `
until outlast node list >/dev/null 2>&1; do sleep 0.1; done
curl -sS -X PUT "$OUTLAST_SERVER/v1/groups/mailers/workers/one" -H 'Content-Type: application/json' -d '{"url": "http://127.0.0.1:9"}'
outlast task enqueue --url http://127.0.0.1:9/ --max-attempts 1 || true
outlast task enqueue --type unknown
outlast target open 127.0.0.1:9
outlast task enqueue --url http://127.0.0.1:9/
`

// program is a folder with the program: that of the test run, or one that is built here.
func program(t *testing.T) string {
	bin := t.TempDir()
	if built := os.Getenv("OUTLAST_TEST_BINARY"); built != "" {
		if err := os.Symlink(built, filepath.Join(bin, "outlast")); err != nil {
			t.Fatal(err)
		}
		return bin
	}
	build := exec.Command("go", "build", "-o", bin, "./cmd/outlast")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// scrape returns the names and labels of what a real server exports at /metrics, once all
// that is wanted is there: some metrics come a while after what they are about.
func scrape(t *testing.T, wanted []string) map[string][]string {
	bin, dir := program(t), t.TempDir()
	server := exec.Command(filepath.Join(bin, "outlast"), "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+filepath.Join(dir, "outlast.db"), "--allow-target", "127.0.0.0/8")
	messages, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	url := listening(t, messages)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	script := exec.CommandContext(ctx, "sh", "-e", "-c", busy)
	script.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OUTLAST_SERVER="+url)
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for limit := time.After(30 * time.Second); ; {
		known := families(t.Context(), t, url+"/metrics")
		if !slices.ContainsFunc(wanted, func(name string) bool { _, found := known[name]; return !found }) {
			return known
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-limit:
			return known
		}
	}
}

// listening reads where a server listens, and on, so that it never waits for its reader.
func listening(t *testing.T, messages io.Reader) string {
	lines := bufio.NewScanner(messages)
	for lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), " listens on "); found {
			go func() { _, _ = io.Copy(io.Discard, messages) }()
			return strings.Fields(after)[0]
		}
	}
	t.Fatal("the server does not say where it listens")
	return ""
}

// families reads the metrics of a page: the labels of each by its name.
func families(ctx context.Context, t *testing.T, page string) map[string][]string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for name, family := range parsed {
		var has []string
		for _, label := range family.GetMetric()[0].GetLabel() {
			has = append(has, label.GetName())
		}
		if family.GetType() == dto.MetricType_HISTOGRAM {
			known[name+"_bucket"] = append(has, "le")
			known[name+"_sum"], known[name+"_count"] = has, has
			continue
		}
		if has == nil {
			has = []string{}
		}
		known[name] = has
		if !strings.HasPrefix(name, "outlast_") {
			delete(known, name)
		}
	}
	return known
}
