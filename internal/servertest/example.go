//go:build unix

package servertest

import (
	"io"
	"os"
	"testing"
)

// Example runs a testable example that needs a server, whose address the caller has
// put into the environment, and compares what it prints. (go test itself runs only
// those that end with their output, and gives them no server.)
func Example(t *testing.T, example func(), want string) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(read)
		printed <- string(text)
	}()
	terminal := os.Stdout
	os.Stdout = write
	func() {
		defer func() { os.Stdout = terminal; write.Close() }()
		example()
	}()
	if got := <-printed; got != want {
		t.Errorf("the example printed %q instead of %q", got, want)
	}
}
