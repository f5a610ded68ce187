package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	peerN int // those of a peer, 0 for as many
	rate  int // tasks per second on an idle system and until a kill, 0 for the usual
	slots int // attempts at once, unless a peer's best setting has more
	// store is where Outlast has its tasks unless --store says otherwise.
	store address
	// peers can be measured beside, in turns.
	peers []string
	work  work
	// score is the figure by which the search chooses, "" for the main one.
	score  string
	target string // of the score, "" for none
	// ratios are how many times better than a peer the score has to be, such as
	// ">= 5", "" for a ratio that is only reported.
	ratios map[string]string
	// long says that it runs only when it is named: for minutes, or on a
	// server of its own kind.
	long bool
	// storeless says that it measures calls in this process, without a store.
	storeless bool
	// compared says that it has peers of its own, which take turns inside.
	compared bool
	// setup, if there is one, makes what all repetitions share.
	setup func(ctx context.Context, s *session) error
	run   func(ctx context.Context, s *session) error
}

// benches are all there are, in the order of their ids.
func benches() []bench {
	return []bench{
		burnDownOnServer, onMariaDB(burnDownOnServer, ">= 50000"),
		retriedOnServer, retriedGuarded, onMariaDB(retriedOnServer, ""), retriedInFile, retriedGuardedInFile,
		singlesOnServer, onMariaDB(singlesOnServer, ""), singlesInFile, singleEnqueuesHTTP,
		batchesOnServer, onMariaDB(batchesOnServer, ""), batchesInFile,
		latencyOnServer, onMariaDB(latencyOnServer, "<= 50"), latencyInFile,
		latenessOnServer, onMariaDB(latenessOnServer, "<= 5"), latenessInFile,
		besideTemporal(burnDownOnServer), besideTemporal(retriedOnServer), besideTemporal(singlesOnServer),
		besideTemporal(latencyOnServer), besideTemporal(latenessOnServer), besideTemporal(nodeKilled), beatingUntilKilled,
		burnDownInFile, alertsOnServer, alertsInFile, waitingOnServer, waitingInFile, steadyLoad, burnDownUnderSnapshot, onMariaDB(burnDownUnderSnapshot, ">= 0.8"), burnDownUnderReader, nodeKilled, successAtOnce, twoFailures, httpPush, listsOnServer, onMariaDB(listsOnServer, ""), listsInFile, stormSimulator, burnDownOnCitus, nodesTogether, throughServer, stepsOnServer, stepsInFile, sharesOnServer, sharesInFile,
	}
}

// onMariaDB is a bench of PostgreSQL elsewhere, with another target for its score;
// no peer is there.
func onMariaDB(b bench, target string) bench {
	b.title = "the same as " + b.id + " on MariaDB"
	b.id, b.store, b.peers, b.ratios, b.target = b.id+"m", onMySQL, nil, nil, target
	return b
}

// temporalName is a peer that is there when this program is built with the tag temporal.
const temporalName = "temporal"

// besideTemporal is a bench beside Temporal alone, which takes longer for each task: it
// gets fewer, and both get fewer a second where the system is not to be full.
func besideTemporal(b bench) bench {
	b.title = "the same as " + b.id + " beside Temporal"
	b.id, b.peers, b.ratios, b.target, b.peerN, b.rate = b.id+"t", []string{temporalName}, nil, "", b.n/50, 5
	return b
}

func list(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, b := range benches() {
		note := string(b.store)
		if len(b.peers) > 0 {
			note += " beside " + strings.Join(b.peers, ", ")
		}
		if b.long {
			note += "; only when named"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", b.id, b.title, note)
	}
	_ = table.Flush()
}

// choose finds benches by id, all but the long ones when there is none.
func choose(ids []string) (chosen []bench, err error) {
	if len(ids) == 0 {
		return slices.DeleteFunc(benches(), func(b bench) bool { return b.long || slices.Contains(b.peers, temporalName) }), nil
	}
	for _, id := range ids {
		at := slices.IndexFunc(benches(), func(b bench) bool { return strings.EqualFold(b.id, id) })
		if at < 0 {
			return nil, usage("there is no bench %q; see bench list", id)
		}
		chosen = append(chosen, benches()[at])
	}
	return chosen, nil
}

// session is one bench on its systems, with all its repetitions.
type session struct {
	config
	bench   bench
	system  system // whose turn it is
	tuned   map[string]tuning
	shared  map[string]shared // by system
	run     int               // from 0
	figures []*figure
	say     io.Writer
	places  []place
	closers []func() error
	servers *servers
	server  *string // the outlast program, once it is built
}

// tasks is how many tasks a repetition handles.
func (s *session) tasks() int {
	if s.bench.peerN > 0 && s.system.name() != outlastName {
		return cmp.Or(s.config.n, s.bench.peerN)
	}
	return cmp.Or(s.config.n, s.bench.n)
}

// tuning is that of the system whose turn it is.
func (s *session) tuning() tuning { return s.tuned[s.system.name()] }

// slotCount is how many attempts Outlast runs at once: as many as the peer does
// with its best setting.
func (s *session) slotCount() int {
	clients := s.tuned[riverName].number("clients", 1)
	return cmp.Or(s.config.slots, clients*s.tuned[riverName].number("workers", s.bench.slots))
}

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
	started := &servers{config: c}
	for _, b := range chosen {
		measured, err := c.measure(ctx, b, started, &program, messages)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		figures = append(figures, measured...)
		if c.json {
			writeJSON(out, measured)
		}
	}
	if !c.json {
		writeTable(out, figures)
	}
	if c.server == "" && program != "" {
		failures = append(failures, os.RemoveAll(program))
	}
	return errors.Join(append(failures, started.stop(context.WithoutCancel(ctx)))...)
}

// measure runs one bench.
func (c config) measure(ctx context.Context, b bench, started *servers, program *string, messages io.Writer) ([]*figure, error) {
	s := &session{config: c, bench: b, tuned: map[string]tuning{}, shared: map[string]shared{}, say: messages, servers: started, server: program}
	if err := s.repeat(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", b.id, err)
	}
	return s.figures, nil
}

// repeat runs the bench as often as wanted. The systems take turns, and begin in
// turns, so that what the machine does meanwhile meets all of them.
func (s *session) repeat(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, s.clean(context.WithoutCancel(ctx))) }()
	systems := s.contestants(s.bench)
	for _, s.system = range systems {
		if s.tuned[s.system.name()], err = s.tune(ctx, s.system); err != nil {
			return fmt.Errorf("search for the settings of %s: %w", s.system.name(), err)
		}
	}
	if s.bench.setup != nil {
		for _, s.system = range systems {
			if err := s.bench.setup(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s.system.name(), err)
			}
		}
	}
	kept, others := len(s.places), 0.0
	for s.run = range s.config.runs {
		for i := range systems {
			s.system = systems[(i+s.run)%len(systems)]
			used, err := s.once(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", s.system.name(), err)
			}
			if err := s.leave(ctx, kept); err != nil {
				return err
			}
			others = max(others, used)
		}
	}
	s.compareScores(systems)
	for _, f := range s.figures {
		f.Others, f.Server = others, s.servers.about(f.Store)
	}
	return nil
}

// once is one repetition of one system. It returns the share of the cores that
// other programs used.
func (s *session) once(ctx context.Context) (others float64, err error) {
	runtime.GC()
	began, machine, own := time.Now(), useOfMachine(), ownTime()+s.servers.cpu()
	if err := s.bench.run(ctx, s); err != nil {
		return 0, err
	}
	others = othersUsed(machine, ownTime()+s.servers.cpu()-own)
	fmt.Fprintf(s.say, "%s %s run %d of %d took %s; other programs used %.0f %% of the cores\n", s.bench.id, s.system.name(), s.run+1, s.config.runs,
		time.Since(began).Round(time.Millisecond), 100*others)
	return others, nil
}

// compareScores records how many times better Outlast is than each peer, run by
// run, so that what disturbs a run disturbs both.
func (s *session) compareScores(systems []system) {
	own := s.figureOf(outlastName, s.bench.score)
	if own == nil || s.bench.compared {
		return
	}
	for _, peer := range systems {
		f := s.figureOf(peer.name(), s.bench.score)
		if f == nil || f == own {
			continue
		}
		set := maps.Clone(own.Settings)
		for i := range min(len(own.Runs), len(f.Runs)) {
			if own.Runs[i] <= 0 || f.Runs[i] <= 0 {
				continue // early, which no one is faster than
			}
			ratio := own.Runs[i] / f.Runs[i]
			if !strings.HasSuffix(own.Unit, "/s") {
				ratio = 1 / ratio
			}
			s.recordOf(outlastName, strings.TrimPrefix(s.bench.score+"/times-"+peer.name(), "/"), ratio, "×", own.N, s.bench.ratios[peer.name()], set)
		}
	}
}

func (s *session) figureOf(system, name string) *figure {
	id := strings.TrimSuffix(s.bench.id+"/"+name, "/")
	at := slices.IndexFunc(s.figures, func(f *figure) bool { return f.Bench == id && f.System == system })
	if at < 0 {
		return nil
	}
	return s.figures[at]
}

// later has something closed after the last repetition.
func (s *session) later(fn func() error) { s.closers = append(s.closers, fn) }

func (s *session) clean(ctx context.Context) error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	return errors.Join(append(errs, s.leave(ctx, 0))...)
}

// place makes an empty place for the system whose turn it is. It is removed after
// the repetition (or, when made in setup, after the last).
func (s *session) place(ctx context.Context) (place, error) {
	p, err := s.system.make(ctx, s)
	if err == nil {
		s.places = append(s.places, p)
	}
	return p, err
}

// leave removes all places but the first ones.
func (s *session) leave(ctx context.Context, keep int) error {
	var errs []error
	for _, p := range s.places[keep:] {
		errs = append(errs, p.remove(context.WithoutCancel(ctx)))
	}
	s.places = s.places[:keep]
	return errors.Join(errs...)
}
