package cli

import (
	"slices"

	"github.com/outlast-dev/outlast/client"
)

// GroupTarget begins the names of the targets that stand for worker groups.
const GroupTarget = "group:"

// MayCall is what a node may call beside public addresses, and which hosts it has
// secrets for.
func MayCall(n *client.Node) []string {
	out := slices.Clone(n.AllowTargets)
	for _, host := range n.Signs {
		out = append(out, "signed "+host)
	}
	return out
}
