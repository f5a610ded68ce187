package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// figure is one measured quantity: the median of its repetitions, with the
// lowest and the highest.
type figure struct {
	Bench    string    `json:"bench"` // "B7", or "B5s/p99" where a bench has several
	System   string    `json:"system"`
	Store    string    `json:"store"`
	Value    float64   `json:"value"`
	Unit     string    `json:"unit"`
	N        int       `json:"n"` // tasks, or samples, per repetition
	Settings settings  `json:"settings"`
	Low      float64   `json:"low"`
	High     float64   `json:"high"`
	Runs     []float64 `json:"runs"`
	Target   string    `json:"target,omitempty"`  // such as ">= 80000"
	Reached  *bool     `json:"reached,omitempty"` // by the median
	// Others is the largest share of the cores that other programs used during a
	// repetition.
	Others  float64 `json:"others"`
	Day     string  `json:"day"`
	Machine string  `json:"machine"`
	// Server are the settings of the server that has the store.
	Server settings `json:"server,omitempty"`
	// Series is the course over time of the last repetition.
	Series []point `json:"series,omitempty"`
}

// storeless is the Store of figures without one.
const storeless = "none"

// settings are what the figure was measured with.
type settings map[string]any

// record adds the value of one repetition. Target is "" for a figure that is
// only reported.
func (s *session) record(name string, value float64, unit string, n int, target string, set settings) {
	s.recordOf(s.system.name(), name, value, unit, n, target, set)
}

// recordOf is record for benches that measure several systems in turns.
func (s *session) recordOf(system, name string, value float64, unit string, n int, target string, set settings) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return // a ratio to nothing, in a repetition that is too short
	}
	id := s.bench.id
	if name != "" {
		id += "/" + name
	}
	i := slices.IndexFunc(s.figures, func(f *figure) bool { return f.Bench == id && f.System == system })
	if i < 0 {
		i = len(s.figures)
		scheme := s.config.storeOf(s.bench).scheme()
		switch {
		case s.bench.storeless:
			scheme = storeless
		case system == asynqName:
			scheme = "redis"
		}
		if system != outlastName && !s.bench.compared {
			target = "" // it is ours
		}
		s.figures = append(s.figures, &figure{
			Day: time.Now().UTC().Format(time.DateOnly), Machine: machineName(),
			Bench: id, System: system, Store: scheme, Unit: unit, N: n, Settings: set, Target: target,
		})
	}
	s.figures[i].add(value)
}

func (f *figure) add(value float64) {
	f.Runs = append(f.Runs, value)
	sorted := slices.Sorted(slices.Values(f.Runs))
	f.Low, f.High = sorted[0], sorted[len(sorted)-1]
	f.Value = sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		f.Value = (sorted[len(sorted)/2-1] + f.Value) / 2
	}
	if f.Target != "" {
		reached := meets(f.Value, f.Target)
		f.Reached = &reached
	}
}

// meets reports whether a value satisfies a target such as ">= 80000".
func meets(value float64, target string) bool {
	sign, text, _ := strings.Cut(target, " ")
	bound, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("bench: bad target " + target) // a slip in this program
	}
	switch sign {
	case ">=":
		return value >= bound
	case "<=":
		return value <= bound
	case "<":
		return value < bound
	}
	return value == bound
}

func writeJSON(out io.Writer, figures []*figure) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, f := range figures {
		if err := encoder.Encode(f); err != nil {
			panic(err) // only numbers and text
		}
	}
}

func writeTable(out io.Writer, figures []*figure) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "figure\tsystem\tstore\tmedian\tlow\thigh\tunit\tto reach\t\tn\tsettings")
	for _, f := range figures {
		verdict := ""
		if f.Reached != nil {
			verdict = map[bool]string{true: "yes", false: "NO"}[*f.Reached]
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", f.Bench, f.System, f.Store,
			number(f.Value), number(f.Low), number(f.High), f.Unit, f.Target, verdict, f.N, f.Settings)
	}
	_ = table.Flush()
}

// number shows three or more digits.
func number(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// String lists the settings in the order of their names.
func (s settings) String() string {
	parts := make([]string, 0, len(s))
	for name, value := range s {
		parts = append(parts, fmt.Sprintf("%s=%v", strings.ReplaceAll(name, " ", "_"), value))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
