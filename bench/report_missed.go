package main

import (
	"slices"
	"strings"
)

// missed are all figures that miss their aim, so that nobody has to look for them.
func missed(known results) string {
	if len(known) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range known {
		if f.System == outlastName && f.Reached != nil && !*f.Reached {
			writeRow(&b, []string{benchOf(f), whatOf(f), f.cell(), strings.TrimSuffix(verdict(f), ": **not reached**")})
		}
	}
	if b.Len() == 0 {
		return "Every figure with an aim has reached it.\n"
	}
	return "These miss their aim:\n\n|  |  | outlast | to reach |\n|---|---|---|---|\n" + b.String()
}

// whatOf is what a table calls a figure, or else its own name.
func whatOf(f *figure) string {
	name, peer, ratio := strings.Cut(f.Bench, "/times-")
	text := strings.TrimPrefix(name, benchOf(f)+"/")
	rows := slices.Concat(race, overMinutes, manyNodes, besides, inMariaDB, inFiles, temporalRows)
	if at := slices.IndexFunc(rows, func(r row) bool { return r.bench == name }); at >= 0 {
		text = rows[at].label
	}
	if ratio {
		text += ", against " + peer
	}
	return text
}
