package config

import (
	"os"
	"strings"
	"testing"
)

// The file that people begin with is a good one, and shows every key that there is.
func TestExampleFile(t *testing.T) {
	const file = "../../deploy/outlast.yaml"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(file, content); err != nil {
		t.Error(err)
	}
	for _, row := range strings.Split(keyTable(false)+keyTable(true), "\n") {
		path, _, found := strings.Cut(strings.TrimPrefix(row, "| `"), "`")
		if key := path[strings.LastIndex(path, ".")+1:]; found && !strings.Contains(string(content), key+":") {
			t.Errorf("%s does not show the key %s", file, path)
		}
	}
}
