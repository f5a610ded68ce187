package doctor

import (
	"context"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/inspect"
)

// examineKeys says how the server asked stands to the encryption of the store.
func (r exam) examineKeys(well bool, detail string) {
	status := report.Fine
	if !well {
		status = report.Fails
	}
	r.Add("encryption", status, detail, "give all nodes the same keys (encryption.keys, --encryption-key-file); for configuration that is not authenticated: outlast config adopt")
}

// examineMissing tells of tasks that wait for a key, among the newest pending ones
// of all nodes.
func (r exam) examineMissing(keys map[string]int, more bool) {
	status := report.Fine
	if len(keys) > 0 {
		status = report.Fails
	}
	r.Add("missing encryption keys", status, counted(keys, more),
		"give all nodes the key of that name; tasks whose key is lost can never run: outlast task cancel ID")
}

// examineSeal names the keys that tasks of the store were encrypted with. Which of
// them the nodes have, only they know.
func (r exam) examineSeal(ctx context.Context, inspector *inspect.Inspector) {
	status, err := inspector.Store.Encryption(ctx)
	switch {
	case err != nil:
		r.Add("encryption", report.Fails, err.Error(), "")
	case len(status.Known) == 0:
		r.Add("encryption", report.Fine, "off: no node has encrypted anything here", "")
	default:
		r.Add("encryption", report.Fine, "on; keys so far: "+strings.Join(status.Known, ", "), "")
	}
}
