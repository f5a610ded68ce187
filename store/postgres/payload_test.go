package postgres_test

import (
	"math"
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
)

// What a notification says is heard: each lane once, from its least rank on; without the
// ranks where they do not fit, and as "any" where the lanes do not.
func TestPayloads(t *testing.T) {
	many := func(n int, from int64) (lanes []store.ChangedLane) {
		for i := range n {
			lanes = append(lanes, store.ChangedLane{Lane: uint16(i), From: from})
		}
		return lanes
	}
	const now = 1_764_144_000_000_000
	for name, test := range map[string]struct{ said, heard []store.ChangedLane }{
		"none":               {nil, nil},
		"ranks":              {[]store.ChangedLane{{Lane: 65535, From: now}, {Lane: 0, From: -now}}, []store.ChangedLane{{Lane: 0, From: -now}, {Lane: 65535, From: now}}},
		"the ends":           {[]store.ChangedLane{{Lane: 1, From: store.NoRank}, {Lane: 2, From: math.MinInt64 + 1}}, []store.ChangedLane{{Lane: 1, From: store.NoRank}, {Lane: 2, From: math.MinInt64 + 1}}},
		"no rank":            {[]store.ChangedLane{{Lane: 1, From: store.AnyRank}}, []store.ChangedLane{{Lane: 1, From: store.AnyRank}}},
		"the least":          {[]store.ChangedLane{{Lane: 7, From: 3}, {Lane: 7, From: 2}, {Lane: 7, From: 4}}, []store.ChangedLane{{Lane: 7, From: 2}}},
		"too many for ranks": {many(1000, now), many(1000, store.AnyRank)},
		"too many":           {many(5000, now), nil},
	} {
		said := slices.Clone(test.said)
		text := postgres.Payload(said)
		if heard := postgres.LanesOfPayload(text); !slices.Equal(heard, test.heard) {
			t.Errorf("%s: %q is heard as %v", name, text, heard)
		}
		if len(text) > 7900 || !slices.Equal(said, test.said) {
			t.Errorf("%s: %d bytes, and the argument is now %v", name, len(text), said)
		}
	}
	for _, text := range []string{"", "*", "x", "1:", "1:!", "1,,2", "65536", "-1", "1:9z:2"} {
		if heard := postgres.LanesOfPayload(text); heard != nil {
			t.Errorf("%q is heard as %v", text, heard)
		}
	}
}
