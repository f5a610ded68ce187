package main

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuTime is what this process has used of the cores so far.
func cpuTime() time.Duration { return usedBy(syscall.RUSAGE_SELF) }

// ownTime is the same with that of children that have ended.
func ownTime() time.Duration { return cpuTime() + usedBy(syscall.RUSAGE_CHILDREN) }

func usedBy(who int) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(who, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// stretch is what a measured stretch took.
type stretch struct {
	wall   time.Duration
	cpu    time.Duration // of this process, over all cores
	server use
	left   leftovers
	before use
	meter  meter // nil without a server
}

// clock starts to measure a stretch, with what the server does meanwhile if
// it has a meter.
func clock(ctx context.Context, server meter) (stop func() (stretch, error), err error) {
	var before use
	if server != nil {
		if before, err = server.read(ctx); err != nil {
			return nil, err
		}
	}
	began, used := time.Now(), cpuTime()
	return func() (stretch, error) {
		took := stretch{wall: time.Since(began), cpu: cpuTime() - used, before: before, meter: server}
		if server == nil {
			return took, nil
		}
		after, err := server.read(ctx)
		took.server = after.since(before)
		return took, err
	}, nil
}

// stopped completes the stretch with what only a server without clients can
// tell: their sessions report their commits at the latest when they end.
func (t *stretch) stopped(ctx context.Context) error {
	if t.meter == nil {
		return nil
	}
	now, err := t.meter.read(ctx)
	if err != nil {
		return err
	}
	t.server.commits = now.since(t.before).commits
	t.left, err = t.meter.left(ctx)
	return err
}

// rate records tasks per second, and what a task costs: processor time, which says
// more than the rate while other programs use the machine, and what the server
// writes and leaves.
func (s *session) rate(prefix string, took stretch, n int, target string, set settings) {
	per := func(total float64) float64 { return total / float64(n) }
	s.record(strings.TrimSuffix(prefix, "-"), perSecond(n, took.wall), "tasks/s", n, target, set)
	s.record(prefix+"cpu", per(float64(took.cpu.Microseconds())), "µs/task", n, "", set)
	if took.meter == nil {
		return
	}
	if took.server.cpu > 0 { // or else it is on another host, or there is no /proc
		s.record(prefix+"server-cpu", per(float64(took.server.cpu.Microseconds())), "µs/task", n, "", set)
	}
	s.record(prefix+"size", per(float64(took.left.bytes)), "bytes/task", n, "", set)
	if took.server.log == 0 {
		return // no such log
	}
	s.record(prefix+"log", per(float64(took.server.log)), "bytes/task", n, "", set)
	s.record(prefix+"commits", per(float64(took.server.commits)), "commits/task", n, "", set)
	s.record(prefix+"dead-rows", per(float64(took.left.dead)), "rows/task", n, "", set)
}

// machine is what all processes have used of the cores so far, and what they
// could have.
type machine struct{ busy, total float64 }

// useOfMachine reads the first line of /proc/stat, in seconds of 1/100; zero
// where there is none.
func useOfMachine() (m machine) {
	file, err := os.Open("/proc/stat")
	if err != nil {
		return m
	}
	defer func() { _ = file.Close() }()
	line, _ := bufio.NewReader(file).ReadString('\n')
	const idle, waiting, guest = 3, 4, 8 // guest time is part of user time
	for i, text := range strings.Fields(strings.TrimPrefix(line, "cpu")) {
		if i >= guest {
			break
		}
		ticks, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return machine{}
		}
		m.total += ticks / 100
		if i != idle && i != waiting {
			m.busy += ticks / 100
		}
	}
	return m
}

// othersUsed is the share of the cores that processes other than this one
// and its ended children used since.
func othersUsed(since machine, own time.Duration) float64 {
	now := useOfMachine()
	if now.total <= since.total {
		return 0
	}
	return max(0, (now.busy-since.busy-own.Seconds())/(now.total-since.total))
}
