package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// meter reads what a server has done so far for one place.
type meter interface {
	read(ctx context.Context) (use, error)
	// left looks at what stands in the place, after its nodes have stopped.
	left(ctx context.Context) (leftovers, error)
	// settle brings the server to rest before a measured stretch: statistics are
	// fresh, what is written is on disk.
	settle(ctx context.Context) error
}

// use is what a server has done.
type use struct {
	cpu     time.Duration
	log     int64 // bytes of the write-ahead log, 0 where it cannot be told
	commits int64
}

func (u use) since(before use) use {
	return use{cpu: u.cpu - before.cpu, log: u.log - before.log, commits: u.commits - before.commits}
}

// leftovers are what a server has to tidy up or to keep.
type leftovers struct {
	dead  int64 // row versions that no one can see any more
	bytes int64
	undo  int64 // bytes of old row versions, where the whole server keeps them apart
}

// treeTime is the processor time of a process, its children and what it
// has seen end. Zero for a process that is not on this host.
func treeTime(root int) time.Duration {
	if root == 0 {
		return 0
	}
	var ticks int64
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		p, err := readProc(path)
		if err == nil && (p.id == root || p.parent == root) {
			ticks += p.ticks
		}
	}
	return time.Duration(ticks) * (time.Second / 100)
}

// proc is a line of /proc/PID/stat, see proc_pid_stat(5).
type proc struct {
	id, parent int
	name       string
	ticks      int64 // of 10 ms, its own and those of ended children
}

func readProc(path string) (p proc, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return p, err
	}
	open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
	if open < 0 || end < open {
		return p, fmt.Errorf("%s: %q", path, text)
	}
	p.name = string(text[open+1 : end])
	if p.id, err = strconv.Atoi(strings.TrimSpace(string(text[:open]))); err != nil {
		return p, err
	}
	const parent, user, childSystem = 1, 11, 14 // after the name
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) <= childSystem {
		return p, fmt.Errorf("%s: %q", path, text)
	}
	if p.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return p, err
	}
	for _, field := range fields[user : childSystem+1] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return p, err
		}
		p.ticks += ticks
	}
	return p, nil
}

// procNamed reads a process if it has the name, or else nothing: a server may
// be on another host, where its number means something else.
func procNamed(id int, name string) proc {
	p, err := readProc(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil || p.name != name {
		return proc{}
	}
	return p
}
