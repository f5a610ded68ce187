package nodes

import (
	"testing"

	"github.com/outlast-dev/outlast/client"
)

func TestNodesThatMatterNow(t *testing.T) {
	for name, row := range map[string]struct {
		node  client.Node
		shown bool
	}{
		"left":                 {client.Node{State: "left", Address: "b:1"}, false},
		"left, lanes not free": {client.Node{State: "left", Address: "b:1", Lanes: 1}, true},
		"dead":                 {client.Node{State: "dead", Address: "b:1"}, true},
		"dead, replaced":       {client.Node{State: "dead", Address: "a:1"}, false},
		"dead application":     {client.Node{State: "dead"}, true},
	} {
		nodes := []client.Node{{State: "alive", Address: "a:1"}, {State: "alive"}, row.node}
		if got := len(present(nodes)) == 3; got != row.shown {
			t.Errorf("%s: shown: %t", name, got)
		}
	}
}
