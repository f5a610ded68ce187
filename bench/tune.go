package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"time"
)

// knob is a setting of a system with the values that the search tries. The
// first one is where it begins: the best found earlier.
type knob struct {
	name   string
	values []string
}

// tuning is a value for each knob.
type tuning map[string]string

func start(knobs []knob) tuning {
	t := make(tuning, len(knobs))
	for _, k := range knobs {
		t[k.name] = k.values[0]
	}
	return t
}

func (t tuning) with(name, value string) tuning {
	t = maps.Clone(t)
	t[name] = value
	return t
}

// number is the value of a knob, or what stands for it where it is not tuned.
func (t tuning) number(name string, or int) int {
	n, err := strconv.Atoi(t[name])
	if err != nil {
		return or
	}
	return n
}

func (t tuning) duration(name string, or time.Duration) time.Duration {
	d, err := time.ParseDuration(t[name])
	if err != nil {
		return or
	}
	return d
}

// settings are those to be printed.
func (t tuning) settings() settings {
	s := make(settings, len(t))
	for name, value := range t {
		s[name] = value
	}
	return s
}

func (t tuning) encode() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // strings only
	}
	return string(text)
}

// The search measures small repetitions, but several times as many tasks as the most
// workers: else one fetch would take them all, whatever the cooldown.
const (
	trialTasks   = 60_000
	trialSeconds = 2
)

// tune searches one knob after the other for the system's best settings, with
// the bench itself on fewer tasks. What is found is kept for the benches of the
// same bench and system.
func (s *session) tune(ctx context.Context, sys system) (tuning, error) {
	knobs := sys.knobs(s.bench.work)
	best := start(knobs)
	if len(knobs) == 0 || !s.config.search || s.bench.long {
		return best, nil
	}
	top, err := s.trial(ctx, sys, best)
	if err != nil {
		return nil, err
	}
	tried := 1
	for _, k := range knobs {
		for _, value := range k.values[1:] {
			candidate := best.with(k.name, value)
			score, err := s.trial(ctx, sys, candidate)
			if err != nil { // settings that do not fit each other
				fmt.Fprintf(s.say, "%s: %s with %s=%s: %v\n", s.bench.id, sys.name(), k.name, value, err)
				continue
			}
			tried++
			if score > top {
				top, best = score, candidate
			}
		}
	}
	fmt.Fprintf(s.say, "%s: %s is best of %d settings with %s\n", s.bench.id, sys.name(), tried, best.settings())
	best["searched"] = fmt.Sprint(tried)
	return best, nil
}

// trial scores settings: more is better.
func (s *session) trial(ctx context.Context, sys system, t tuning) (float64, error) {
	c := s.config
	c.runs, c.seconds, c.profile = 1, trialSeconds, ""
	c.n = min(s.tasks(), trialTasks)
	one := &session{config: c, bench: s.bench, system: sys, tuned: map[string]tuning{sys.name(): t}, servers: s.servers, say: io.Discard, server: s.server}
	err := s.bench.run(ctx, one)
	if cleaned := one.clean(ctx); err == nil {
		err = cleaned
	}
	if err != nil {
		return 0, err
	}
	for _, f := range one.figures {
		if f.Bench == strings.TrimSuffix(s.bench.id+"/"+s.bench.score, "/") {
			fmt.Fprintf(s.say, "%s: %s %s %s with %s\n", s.bench.id, sys.name(), number(f.Value), f.Unit, t.settings())
			if strings.HasSuffix(f.Unit, "/s") {
				return f.Value, nil
			}
			return -f.Value, nil
		}
	}
	return 0, fmt.Errorf("%s has no figure %q", s.bench.id, s.bench.score)
}
