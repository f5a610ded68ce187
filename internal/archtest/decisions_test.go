package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var decisionHead = regexp.MustCompile(`(?m)^\*\*(\d+)\. `)

// Decisions are named by their number, so each has one of its own, in the
// order of the file.
func TestDecisionsAreNumbered(t *testing.T) {
	const name = "docs/explanation/decisions.md"
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	heads := decisionHead.FindAllSubmatch(text, -1)
	if len(heads) == 0 {
		t.Fatalf("%s has no heading that this test knows", name)
	}
	for i, head := range heads {
		if n, _ := strconv.Atoi(string(head[1])); n != i+1 {
			t.Fatalf("%s: decision %s comes where %d is next", name, head[1], i+1)
		}
	}
}
