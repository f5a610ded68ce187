package task

import (
	"strconv"
	"strings"
)

// Label says under what an attempt ran.
type Label struct {
	// Policy and PolicyVersion are the version of a named policy that held for the
	// attempt, and decided about a failure; empty for policies without versions
	// (presets, inline ones).
	Policy        string
	PolicyVersion int64
	Release       string // of the program that ran it, "" for none
}

// String is the label as stores keep it, "" for an empty one: payment@3, a space and
// the release. Names of policies have no space.
func (l Label) String() string {
	policy := ""
	if l.PolicyVersion > 0 {
		policy = l.Policy + "@" + strconv.FormatInt(l.PolicyVersion, 10)
	}
	if l.Release == "" {
		return policy
	}
	return policy + " " + l.Release
}

// ParseLabel reads what String made.
func ParseLabel(text string) (l Label) {
	policy, release, _ := strings.Cut(text, " ")
	l.Release = release
	if at := strings.LastIndexByte(policy, '@'); at >= 0 {
		l.Policy = policy[:at]
		l.PolicyVersion, _ = strconv.ParseInt(policy[at+1:], 10, 64)
	}
	return l
}
