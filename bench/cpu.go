package main

import (
	"bufio"
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
	wall time.Duration
	cpu  time.Duration // of this process, over all cores
}

// clock starts to measure a stretch.
func clock() func() stretch {
	began, used := time.Now(), cpuTime()
	return func() stretch { return stretch{wall: time.Since(began), cpu: cpuTime() - used} }
}

// rate records tasks per second, and the processor time per task, which says
// more than the rate while other programs use the machine.
func (s *session) rate(took stretch, n int, target string, set settings) {
	s.record("", perSecond(n, took.wall), "tasks/s", n, target, set)
	s.record("cpu", float64(took.cpu.Microseconds())/float64(n), "µs/task", n, "", set)
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
