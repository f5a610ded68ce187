package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	own "github.com/outlast-dev/outlast/internal/servers"
)

// benchesHere are what a reader measures, in this order, unless he names others.
var benchesHere = []string{"B1", "B2", "B2g", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B9x", "B10"}

// here measures beside the peers with what this machine has, and writes a page of
// figures and settings, anew after each bench.
func here(ctx context.Context, args []string, messages io.Writer) (err error) {
	var c config
	flags := c.flags("here", messages)
	flags.StringVar(&c.out, "out", "benchmarks-here", "directory of the page, README.md, and of the figures, figures.jsonl")
	if err := c.read(flags, args); err != nil {
		return err
	}
	if c.store != "" && c.store.scheme() != postgres.scheme() {
		return usage("--store is a PostgreSQL here, not %q", string(c.store))
	}
	if len(c.ids) == 0 {
		c.ids = benchesHere
	}
	chosen, err := choose(c.ids)
	if err != nil {
		return err
	}
	if c.programs == "" && (c.store == "" || c.store.own()) {
		c.programs = programsInPath(ctx)
	}
	started := &servers{config: c}
	defer func() { err = errors.Join(err, started.stop(context.WithoutCancel(ctx))) }()
	missing, err := started.look(ctx, chosen)
	if err != nil {
		return err
	}
	var about strings.Builder
	environment(c, io.MultiWriter(&about, messages))
	about.WriteString(started.version())
	p := &pageHere{config: c, about: about.String(), began: time.Now()}
	chosen, p.peers, p.leftOut = possible(chosen, strings.Split(c.peers, ","), missing)
	for _, left := range p.leftOut {
		fmt.Fprintln(messages, "left out:", left)
	}
	if len(chosen) == 0 {
		return errors.New("nothing is left to be measured")
	}
	return p.measure(ctx, chosen, started, messages)
}

// programsInPath is the folder of the PostgreSQL that the reader has in PATH: the one of
// pg_config if servers are there too, or else that of initdb. "" if there is none.
func programsInPath(ctx context.Context) string {
	if text, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		folder := strings.TrimSpace(string(text))
		if _, err := os.Stat(filepath.Join(folder, "initdb")); err == nil {
			return folder
		}
	}
	path, err := exec.LookPath("initdb")
	if err == nil {
		path, err = filepath.EvalSymlinks(path) // to where the other programs of its version are
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(path)
}

// look starts the servers that benches need, or connects to those that are given, and
// returns which are not installed.
func (v *servers) look(ctx context.Context, wanted []bench) (missing []*own.Missing, err error) {
	var asks []func() error
	if slices.ContainsFunc(wanted, func(b bench) bool { return b.store == postgres }) {
		asks = append(asks, func() error {
			server, err := v.onPostgres(ctx)
			if err == nil {
				err = server.mayMakePlaces(ctx)
			}
			return err
		})
	}
	if slices.Contains(strings.Split(v.config.peers, ","), asynqName) && slices.ContainsFunc(wanted, func(b bench) bool { return slices.Contains(b.peers, asynqName) }) {
		asks = append(asks, func() error {
			_, err := v.onRedis(ctx)
			return err
		})
	}
	for _, ask := range asks {
		var absent *own.Missing
		switch err := ask(); {
		case errors.As(err, &absent):
			missing = append(missing, absent)
		case err != nil:
			return nil, err
		}
	}
	return missing, nil
}

// version is a line about the PostgreSQL in use, "" if there is none.
func (v *servers) version() string {
	if v.postgres == nil {
		return ""
	}
	version := fmt.Sprint(v.postgres.about["server_version"])
	line := "environment: PostgreSQL " + version
	number, _, _ := strings.Cut(version, ".")
	if major, err := strconv.Atoi(number); err == nil && (major < 15 || major > 18) {
		line += "; these benches are meant for 15 to 18"
	}
	return line + "\n"
}

// possible are the benches and the peers for which there are servers, and what is left
// out, with the reason.
func possible(wanted []bench, peers []string, missing []*own.Missing) (benches []bench, left []string, leftOut []string) {
	benches, left = slices.Clone(wanted), slices.Clone(peers)
	for _, absent := range missing {
		if absent.Server == "Redis" {
			left = slices.DeleteFunc(left, func(peer string) bool { return peer == asynqName })
			leftOut = append(leftOut, "asynq, since "+absent.Error())
			continue
		}
		var without []string
		benches = slices.DeleteFunc(benches, func(b bench) bool {
			if b.store == postgres {
				without = append(without, b.id)
			}
			return b.store == postgres
		})
		if len(without) > 0 {
			leftOut = append(leftOut, strings.Join(without, ", ")+", since "+absent.Error())
		}
	}
	if len(left) == 0 {
		left = []string{"none"}
	}
	return benches, left, leftOut
}

// measure runs the benches one after the other. One that fails does not stop the others.
func (p *pageHere) measure(ctx context.Context, chosen []bench, started *servers, messages io.Writer) error {
	if err := os.MkdirAll(p.config.out, 0o755); err != nil {
		return err
	}
	program := ""
	var failures []error
	for i, b := range chosen {
		if ctx.Err() != nil {
			p.leftOut = append(p.leftOut, b.id+", since the run was interrupted")
			continue
		}
		fmt.Fprintf(messages, "%s (%d of %d): %s\n", b.id, i+1, len(chosen), b.title)
		c := p.config
		c.peers = strings.Join(p.peers, ",")
		if b.id == steadyLoad.id {
			c.runs = 1 // of ten minutes for each system
		}
		figures, err := c.measure(ctx, b, started, &program, messages)
		switch {
		case err != nil && ctx.Err() != nil:
			p.leftOut = append(p.leftOut, b.id+", since the run was interrupted")
		case err != nil:
			p.leftOut = append(p.leftOut, "what failed, "+err.Error())
		}
		failures = append(failures, err)
		p.known = append(p.known, figures...)
		if err := p.write(); err != nil {
			return err
		}
	}
	err := p.write()
	if program != "" {
		err = errors.Join(err, os.Remove(program))
	}
	fmt.Fprintf(messages, "written: %s\n", filepath.Join(p.config.out, "README.md"))
	return errors.Join(append(failures, err)...)
}
