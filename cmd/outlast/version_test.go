package main

import (
	"runtime/debug"
	"testing"
)

// Whatever way a binary was built in, it knows its commit, unless its version is a tag.
func TestTheBinaryKnowsItsCommit(t *testing.T) {
	for name, c := range map[string]struct {
		main         string
		settings     []debug.BuildSetting
		commit, date string
		modified     bool
	}{
		"in a checkout": {"v0.1.0+dirty", []debug.BuildSetting{
			{Key: "vcs.revision", Value: "c937b86c4c947390a8c27a26a9960542a9aa1814"}, {Key: "vcs.time", Value: "2026-11-28T02:03:40Z"}, {Key: "vcs.modified", Value: "true"},
		}, "c937b86c4c947390a8c27a26a9960542a9aa1814", "2026-11-28T02:03:40Z", true},
		"go install of a commit":             {"v0.0.0-20261128020340-c937b86c4c94", nil, "c937b86c4c94", "2026-11-28T02:03:40Z", false},
		"go install of a commit after a tag": {"v0.1.1-0.20261128020340-c937b86c4c94", nil, "c937b86c4c94", "2026-11-28T02:03:40Z", false},
		"go install of a tag":                {"v0.1.0", nil, "", "", false},
		"go run without git":                 {"(devel)", nil, "", "", false},
	} {
		got := describe(&debug.BuildInfo{Main: debug.Module{Version: c.main}, Settings: c.settings})
		if got.Commit != c.commit || got.Date != c.date || got.Modified != c.modified {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
