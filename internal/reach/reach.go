// Package reach is what a node may call beyond public addresses, and for which hosts it
// has secrets, in the form in which nodes tell each other.
package reach

import (
	"net/netip"
	"slices"
	"strings"
)

// Reach is what a node may call beyond public addresses, and for which hosts it has
// secrets. Nodes tell each other, so that one that may not make a call, or would have to
// make it without a signature, leaves it to another.
type Reach struct {
	Allow []netip.Prefix
	Sign  []string // as the keys of secrets: a host, a host and a port, a worker group
}

// Text is the reach as nodes list it, "" for none.
func (r *Reach) Text() string {
	var parts []string
	if len(r.Allow) > 0 {
		ranges := make([]string, len(r.Allow))
		for i, prefix := range r.Allow {
			ranges[i] = prefix.String()
		}
		slices.Sort(ranges)
		parts = append(parts, "allow="+strings.Join(slices.Compact(ranges), ","))
	}
	if len(r.Sign) > 0 {
		parts = append(parts, "sign="+strings.Join(slices.Sorted(slices.Values(r.Sign)), ","))
	}
	return strings.Join(parts, " ")
}

// Read reads what a node lists. What a later version may add is passed over.
func Read(text string) (r Reach) {
	for _, part := range strings.Fields(text) {
		name, list, _ := strings.Cut(part, "=")
		switch name {
		case "allow":
			for _, text := range strings.Split(list, ",") {
				if prefix, err := netip.ParsePrefix(text); err == nil {
					r.Allow = append(r.Allow, prefix)
				}
			}
		case "sign":
			r.Sign = strings.Split(list, ",")
		}
	}
	return r
}

// Signs reports whether there is a secret at one of the places of a destination.
func (r *Reach) Signs(places []string) bool {
	return len(r.Sign) > 0 && slices.ContainsFunc(places, func(place string) bool { return slices.Contains(r.Sign, place) })
}
