package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What /proc says of this process is what getrusage says.
func TestProcessorTime(t *testing.T) {
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Skip("no /proc here")
	}
	own := procNamed(os.Getpid(), string(name[:len(name)-1]))
	if own.id != os.Getpid() || own.parent != os.Getppid() {
		t.Errorf("%+v", own)
	}
	if p := procNamed(os.Getpid(), "another program"); p.id != 0 {
		t.Errorf("%+v", p)
	}
	for began := cpuTime(); cpuTime()-began < 50*time.Millisecond; {
		continue
	}
	if used, known := treeTime(os.Getpid()), ownTime(); used < known/2 || used > 2*known+time.Second {
		t.Errorf("%s, getrusage says %s", used, known)
	}
	if treeTime(0) != 0 {
		t.Error("nothing is known of a server elsewhere")
	}
}

func TestProcLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stat")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("7 (a (b) c) S 3 7 7 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1\n")
	if p, err := readProc(path); err != nil || p != (proc{id: 7, parent: 3, name: "a (b) c", ticks: 100}) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"", "7 a S 3", "7 (a) S 3", "x (a) S 3 7 7 0 -1 4194560 1 2 3 4 10 20 30 40 20"} {
		write(bad)
		if p, err := readProc(path); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

// Every place is a fresh database, meters read what happens there, and nothing is
// left behind.
func TestPlacesOnServers(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts servers")
	}
	ctx := t.Context()
	all := &servers{config: config{fast: true}}
	t.Cleanup(func() {
		if err := all.stop(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	})
	for _, kind := range []address{postgres, onMySQL} {
		s := &session{config: config{store: kind}, system: outlastSystem{}, servers: all}
		first, err := s.place(ctx)
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.place(ctx)
		if err != nil || first.url == second.url {
			t.Fatal(first.url, second.url, err)
		}
		stop, err := clock(ctx, first.meter)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.prefill(ctx, first, 500, job{payload: noop}); err != nil {
			t.Fatal(err)
		}
		took, err := stop()
		if err == nil {
			err = took.stopped(ctx)
		}
		if err != nil || took.server.log < 500*100 || took.server.commits == 0 || took.left.bytes == 0 {
			t.Errorf("%s: %+v, %v", kind, took, err)
		}
		for i, at := range []place{first, second} {
			o := nodeOptions{slots: 10, tasks: 500, handle: succeed}
			if i == 1 {
				o.enqueueOnly = true
			}
			n, err := outlastSystem{}.open(ctx, at, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.start(ctx); err != nil {
				t.Error(err)
			}
			if i == 0 {
				err = n.drained(ctx)
			}
			count, countErr := n.succeeded(ctx)
			if want := 500 * (1 - i); count != want || err != nil || countErr != nil {
				t.Errorf("%s, place %d: %d tasks succeeded, not %d; %v, %v", kind, i, count, want, err, countErr)
			}
			if err := n.stop(ctx); err != nil {
				t.Error(err)
			}
		}
		if err := s.leave(ctx, 0); err != nil {
			t.Error(err)
		}
		if _, err := (outlastSystem{}).open(ctx, first, nodeOptions{enqueueOnly: true}); err == nil {
			t.Errorf("%s: the place is still there", kind)
		}
	}
}
