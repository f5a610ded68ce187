// Command lights switches the lights of a warehouse through another company's
// system, which loses the first call of every command. Each light has an
// ordering key, so "on" and "off" arrive strictly in order, one at a time.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

func main() {
	if err := example(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// example runs on the database file that is named, or on a temporary one.
func example(args []string) error {
	if len(args) > 0 {
		return run(args[0])
	}
	folder, err := os.MkdirTemp("", "outlast-lights-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the example ends
	return run(filepath.Join(folder, "example.db"))
}

func run(file string) error {
	ctx := context.Background()
	warehouse := &receiver{seen: map[string][]string{}}
	url, err := warehouse.listen()
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the example ends
	client, err := outlast.Open(ctx, store, outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends

	var last []outlast.Receipt
	for _, command := range []string{"on", "off", "on", "off"} {
		for _, light := range []string{"hall-1", "hall-2"} {
			receipt, err := client.Enqueue(ctx, outlast.Draft{
				Key:     light, // the order that matters
				Target:  &task.Request{URL: url + "/" + light, Method: "PUT"},
				Payload: []byte(`"` + command + `"`),
				Policy:  "instant", // retries after 100, 200 and 400 ms at most
			})
			if err != nil {
				return err
			}
			last = append(last, receipt)
		}
	}
	for _, receipt := range last {
		if _, err := client.Wait(ctx, receipt.Task.ID); err != nil {
			return err
		}
	}
	warehouse.tell()
	return nil
}

// receiver is the other company's system.
type receiver struct {
	mu    sync.Mutex
	calls int
	seen  map[string][]string // commands by light, in the order of arrival
}

func (r *receiver) listen() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go http.Serve(listener, r) //nolint:errcheck // it lives as long as the example
	return "http://" + listener.Addr().String(), nil
}

// ServeHTTP loses the first call of every command.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if req.Header.Get("Outlast-Attempt") == "1" {
		http.Error(w, "the radio is down", http.StatusServiceUnavailable)
		return
	}
	body, _ := io.ReadAll(req.Body)
	light := strings.Trim(req.URL.Path, "/")
	r.seen[light] = append(r.seen[light], strings.Trim(string(body), `"`))
}

func (r *receiver) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Println("calls:", r.calls, "for 8 commands")
	for _, light := range []string{"hall-1", "hall-2"} {
		fmt.Println(light+":", strings.Join(r.seen[light], ", "))
	}
}
