package task

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

//go:generate go test -count=1 -run ^TestStateDiagram$ . -args -update

var update = flag.Bool("update", false, "write the state diagram into docs/pictures")

// The state diagram of the documentation has each pair of the transition table as an arrow.
func TestStateDiagram(t *testing.T) {
	const file = "../docs/pictures/states.svg"
	want := diagram(t)
	have, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(have, want):
	case *update:
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%s is stale: run go generate ./task", file)
	}
}

// boxes are the middles of the states.
var boxes = map[State][2]int{Pending: {190, 126}, Running: {420, 126}, Dead: {640, 78}, Succeeded: {640, 174}, Canceled: {420, 232}}

// arrow is a path that leads from one state to another, and where its words stand.
type arrow struct {
	path  string
	x, y  int
	below bool // words of two lines go on below
}

var arrows = map[[2]State]arrow{
	{"", Pending}:        {"M46 126H133", 87, 118, false},
	{Pending, Pending}:   {"M172 146V172Q172 180 164 180H156Q148 180 148 172V148", 160, 196, false},
	{Pending, Running}:   {"M245 116H363", 304, 108, false},
	{Running, Pending}:   {"M365 136H247", 304, 154, true},
	{Pending, Canceled}:  {"M214 146V224Q214 232 222 232H363", 290, 224, false},
	{Running, Canceled}:  {"M420 146V210", 448, 184, false},
	{Running, Dead}:      {"M475 118L583 84", 522, 92, false},
	{Running, Succeeded}: {"M475 134L583 168", 518, 172, false},
	{Dead, Pending}:      {"M640 58V38Q640 30 632 30H198Q190 30 190 38V104", 415, 22, false},
}

const diagramHead = `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="264" viewBox="0 0 720 264" role="img" aria-labelledby="states-t states-d" font-family="system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif" font-size="13" text-anchor="middle">
<title id="states-t">States of a task</title>
<desc id="states-d">%s</desc>
<style>.g{fill:#fff}.w{fill:#59636e}.n{fill:#1f2328;font-weight:600}.b{fill:#f1f4f6;stroke:#59636e}.a{fill:none;stroke:#59636e}.h{fill:#59636e}@media(prefers-color-scheme:dark){.g{fill:#0d1117}.w{fill:#9198a1}.n{fill:#e6edf3}.b{fill:#1c232c;stroke:#9198a1}.a{stroke:#9198a1}.h{fill:#9198a1}}</style>
<defs><marker id="states-h" class="h" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z"/></marker></defs>
<rect class="g" width="720" height="264" rx="6"/>
<circle class="h" cx="40" cy="126" r="6"/>
`

// diagram draws the transition table: an arrow for each pair of states, with its events; final
// states have two edges.
func diagram(t *testing.T) []byte {
	events := map[[2]State][]string{{"", Pending}: {"enqueue"}}
	for pair, to := range transitions {
		way := [2]State{pair.from, to}
		events[way] = append(events[way], string(pair.event))
	}
	var told []string
	var drawn strings.Builder
	for _, from := range slices.Concat([]State{""}, States[:]) {
		for _, to := range States {
			way := [2]State{from, to}
			if slices.Sort(events[way]); len(events[way]) == 0 {
				continue
			}
			told = append(told, strings.TrimSpace(string(from)+" to "+string(to)+" by "+strings.Join(events[way], ", ")))
			arrow := arrows[way]
			fmt.Fprintf(&drawn, `<path class="a" d="%s" marker-end="url(#states-h)"/>`+"\n", arrow.path)
			lines := [][]string{events[way]}
			if arrow.below {
				lines = slices.Collect(slices.Chunk(events[way], 2))
			}
			for i, line := range lines {
				fmt.Fprintf(&drawn, `<text class="w" x="%d" y="%d">%s</text>`+"\n", arrow.x, arrow.y+16*i, strings.Join(line, ", "))
			}
		}
	}
	if a, b := slices.Collect(maps.Keys(events)), slices.Collect(maps.Keys(arrows)); len(a) != len(b) || slices.ContainsFunc(a, func(way [2]State) bool { return arrows[way].path == "" }) {
		t.Fatalf("transitions %v, arrows %v", a, b)
	}
	for _, state := range States {
		at := boxes[state]
		fmt.Fprintf(&drawn, `<rect class="b" x="%d" y="%d" width="110" height="40" rx="8"/>`, at[0]-55, at[1]-20)
		if state.Final() {
			fmt.Fprintf(&drawn, `<rect class="b" x="%d" y="%d" width="102" height="32" rx="5"/>`, at[0]-51, at[1]-16)
		}
		fmt.Fprintf(&drawn, `<text class="n" x="%d" y="%d">%s</text>`+"\n", at[0], at[1]+5, state)
	}
	return []byte(fmt.Sprintf(diagramHead, strings.Join(told, "; ")+".") + drawn.String() + "</svg>\n")
}
