// Command mail replays a deploy that kills a mail sender in the middle of its
// work. The mail goes out all the same, and the crash costs no attempt. Nobody
// configured a retry: it is on by default.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/sqlite"
)

func main() {
	if err := example(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// example runs on the database file that is named, or on a temporary one.
func example(args []string) error {
	switch {
	case os.Getenv("RELEASE") != "":
		return send(args[0])
	case len(args) > 0:
		return deploy(args[0])
	}
	folder, err := os.MkdirTemp("", "outlast-mail-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the example ends
	return deploy(filepath.Join(folder, "example.db"))
}

// deploy starts release 1, kills it while it sends, and starts release 2.
func deploy(file string) error {
	customer := fmt.Sprint("ada-", time.Now().UnixMilli()) // another one each time, so that a file can be used again
	if err := os.Setenv("CUSTOMER", customer); err != nil {
		return err
	}
	first, err := start(file, "1", "sending")
	if err != nil {
		return err
	}
	fmt.Println("deploy: kill -9 of release 1, in the middle of sending")
	if err := first.Process.Kill(); err != nil {
		return err
	}
	_ = first.Wait() // it was killed, and says so
	second, err := start(file, "2", "history: attempt 2")
	if err != nil {
		return err
	}
	return second.Wait()
}

// start runs a release and returns once it has printed the text.
func start(file, release, until string) (*exec.Cmd, error) {
	cmd := exec.Command(os.Args[0], file)
	cmd.Env = append(os.Environ(), "RELEASE="+release)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Printf("release %s: %s\n", release, lines.Text())
		if strings.HasPrefix(lines.Text(), until) {
			return cmd, nil
		}
	}
	return nil, errors.Join(errors.New("release "+release+" ended early"), cmd.Wait())
}

// Mail is what the task carries.
type Mail struct{ To, Subject string }

// send is the mail sender: a node of Outlast inside an application.
func send(file string) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, file)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the example ends
	client, err := outlast.Open(ctx, store)
	if err != nil {
		return err
	}
	outlast.Handle(client, "mail.send", smtp)
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends

	customer := os.Getenv("CUSTOMER")
	// Both releases ask for the mail at their start. The dedupe key makes
	// the second request the first task.
	receipt, err := client.Enqueue(ctx, outlast.Draft{
		Type: "mail.send", Payload: []byte(`{"To": "ada@example.com", "Subject": "Welcome"}`), DedupeKey: "welcome-" + customer,
	})
	if err != nil {
		return err
	}
	fmt.Println("accepted before:", receipt.Existing)
	done, err := client.Wait(ctx, receipt.Task.ID)
	if err != nil {
		return err
	}
	fmt.Printf("the task %s with %d attempts and %d crash\n", done.State, done.Attempt, done.Crashes)
	history, err := client.Inspector().Tasks.Attempts(ctx, done.ID)
	for _, a := range history {
		fmt.Printf("history: attempt %d %s\n", a.Number, a.Outcome)
	}
	return err
}

// smtp stands for a mail server: slow in release 1, busy at first in release 2.
func smtp(ctx context.Context, mail Mail) error {
	info, _ := outlast.Info(ctx)
	fmt.Printf("sending %q to %s, attempt %d\n", mail.Subject, mail.To, info.Attempt)
	if os.Getenv("RELEASE") == "1" {
		<-ctx.Done() // never: the deploy comes first
		return ctx.Err()
	}
	if info.Attempt == 1 {
		return errors.New("421 busy, try again later")
	}
	return nil
}
