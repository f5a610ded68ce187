package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// bench is one thing to measure.
type bench struct {
	id    string
	title string
	n     int // tasks, unless the caller says otherwise
	slots int
	// storeless says that it measures calls in this process, without a store.
	storeless bool
	// compared says that peers are measured in turns with Outlast.
	compared bool
	// setup, if there is one, makes what all repetitions share.
	setup func(ctx context.Context, s *session) error
	run   func(ctx context.Context, s *session) error
}

// benches are all there are, in the order of their ids.
func benches() []bench {
	return []bench{
		retriedOnce, singleEnqueues, singleEnqueuesHTTP, batchEnqueues, startLatency, retryLateness,
		burnDown, waitingForTomorrow, successAtOnce, twoFailures, httpPush, stormSimulator,
	}
}

func list(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, b := range benches() {
		fmt.Fprintf(table, "%s\t%s\n", b.id, b.title)
	}
	_ = table.Flush()
}

// choose finds benches by id. B3 stands for all of B3s, B3h and so on.
func choose(ids []string) ([]bench, error) {
	if len(ids) == 0 {
		return benches(), nil
	}
	var chosen []bench
	for _, id := range ids {
		found := false
		for _, b := range benches() {
			if strings.EqualFold(b.id, id) || strings.EqualFold(strings.TrimRight(b.id, "sh"), id) {
				chosen, found = append(chosen, b), true
			}
		}
		if !found {
			return nil, usage("there is no bench %q; see bench list", id)
		}
	}
	return chosen, nil
}

// session is one bench on one system, with all its repetitions.
type session struct {
	config
	bench   bench
	system  system
	shared  shared
	run     int // from 0
	figures []*figure
	say     io.Writer
	places  []place
	closers []func() error
	server  *string // the outlast program, once it is built
}

// shared are the places that live through all repetitions of B8s.
type shared struct{ empty, full place }

// tasks is how many tasks a repetition handles.
func (s *session) tasks() int { return cmp.Or(s.config.n, s.bench.n) }

func (s *session) slotCount() int { return cmp.Or(s.config.slots, s.bench.slots) }

// measure runs the chosen benches. One that fails does not stop the others.
func measure(ctx context.Context, args []string, out, messages io.Writer) error {
	c, err := parse(args, messages)
	if err != nil {
		return err
	}
	chosen, err := choose(c.ids)
	if err != nil {
		return err
	}
	environment(c, messages)
	var figures []*figure
	var failures []error
	program := c.server
	for _, b := range chosen {
		for _, system := range systems() {
			s := &session{config: c, bench: b, system: system, say: messages, server: &program}
			if err := s.repeat(ctx); err != nil {
				failures = append(failures, fmt.Errorf("%s on %s: %w", b.id, system.name(), err))
				continue
			}
			figures = append(figures, s.figures...)
			if c.json {
				writeJSON(out, s.figures)
			}
		}
	}
	if !c.json {
		writeTable(out, figures)
	}
	if c.doc != "" {
		figures = slices.DeleteFunc(figures, func(f *figure) bool { return f.Store != storeless })
		failures = append(failures, writeDoc(c.doc, figures))
	}
	if c.server == "" && program != "" {
		failures = append(failures, os.RemoveAll(program))
	}
	return errors.Join(failures...)
}

// repeat runs the bench as often as wanted.
func (s *session) repeat(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, s.clean()) }()
	if s.bench.setup != nil {
		if err := s.bench.setup(ctx, s); err != nil {
			return err
		}
	}
	kept, others := len(s.places), 0.0
	for s.run = range s.config.runs {
		runtime.GC()
		began, machine, own := time.Now(), useOfMachine(), ownTime()
		if err := s.bench.run(ctx, s); err != nil {
			return err
		}
		if err := s.leave(kept); err != nil {
			return err
		}
		used := othersUsed(machine, ownTime()-own)
		others = max(others, used)
		fmt.Fprintf(s.say, "%s run %d of %d took %s; other programs used %.0f %% of the cores\n", s.bench.id, s.run+1, s.config.runs,
			time.Since(began).Round(time.Millisecond), 100*used)
	}
	for _, f := range s.figures {
		f.Others = others
	}
	return nil
}

// later has something closed after the last repetition.
func (s *session) later(fn func() error) { s.closers = append(s.closers, fn) }

func (s *session) clean() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	return errors.Join(append(errs, s.leave(0))...)
}

// place makes an empty store, which is removed after the repetition (or,
// when made in setup, after the last).
func (s *session) place() (place, error) {
	p, err := newPlace(s.config.store, s.config.dir)
	if err == nil {
		s.places = append(s.places, p)
	}
	return p, err
}

// leave removes all places but the first ones.
func (s *session) leave(keep int) error {
	var errs []error
	for _, p := range s.places[keep:] {
		errs = append(errs, p.remove())
	}
	s.places = s.places[:keep]
	return errors.Join(errs...)
}
