package examples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The web server of the shop accepts an order before there is a worker, gets its result when
// there is one, and hears of the first charge when it comes again.
func TestShop(t *testing.T) {
	t.Parallel()
	bin, file := programs(t), filepath.Join(t.TempDir(), "shop.db")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var charged strings.Builder
	first := exec.CommandContext(ctx, filepath.Join(bin, "web"), file)
	answer, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 1024)
	n, err := answer.Read(said) // it is accepted
	if err != nil || string(said[:n]) != "accepted, here before: false\n" {
		t.Fatalf("%q, %v", said[:n], err)
	}
	worker := exec.CommandContext(ctx, filepath.Join(bin, "worker"), file)
	worker.Stdout, worker.Stderr = &charged, &charged
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	n, err = answer.Read(said)
	if err != nil || string(said[:n]) != "charged: charge of A-1\n" {
		t.Errorf("%q, %v", said[:n], err)
	}
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
	again, err := exec.CommandContext(ctx, filepath.Join(bin, "web"), file).CombinedOutput()
	if err != nil || string(again) != "accepted, here before: true\ncharged: charge of A-1\n" {
		t.Errorf("%s, %v", again, err)
	}
	if err := worker.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := worker.Wait(); err != nil {
		t.Error(err)
	}
	if charged.String() != "charging 995 cents for A-1, attempt 1\n" {
		t.Errorf("the worker said %q", charged.String())
	}
}
