package outlast_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Answers that only one caller's words refuse shut no target for others.
func TestAnswersAreASignOfLife(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}
	}))
	defer receiver.Close()
	once := inline(`{"max_attempts": 1}`)
	for name, request := range map[string]task.Request{
		"a condition": {URL: receiver.URL + "/ok", Success: "status == 599"}, "a redirect": {URL: receiver.URL + "/moved"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, client := really(t, memory.New(), outlast.WithAllQueues(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
			for _, queue := range []string{"a", "b"} {
				if _, err := client.Inspector().Queues.Put(ctx, store.Queue{Name: queue}); err != nil {
					t.Fatal(err)
				}
			}
			for range 300 {
				if _, err := client.Run(ctx, outlast.Draft{Queue: "a", Retry: once, Target: &request}); err == nil {
					t.Fatal("it succeeded")
				}
			}
			view, err := client.Inspector().Targets.Get(ctx, strings.TrimPrefix(receiver.URL, "http://"))
			if err != nil || view.Breaker.State != "closed" || view.Breaker.Failures != 0 || view.Budget.Share != 1 {
				t.Fatalf("%+v, %v", view, err)
			}
			if _, err := client.Run(ctx, outlast.Draft{Queue: "b", Target: &task.Request{URL: receiver.URL + "/ok"}}); err != nil {
				t.Error(err)
			}
		})
	}
}
