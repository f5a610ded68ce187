package doctor

import (
	"context"
	"strings"

	"github.com/outlast-dev/outlast/inspect"
)

// examineKeys says how the server asked stands to the encryption of the store.
func (r *report) examineKeys(well bool, detail string) {
	status := fine
	if !well {
		status = fails
	}
	r.add("encryption", status, detail, "give all nodes the same keys (encryption.keys, --encryption-key-file); what is not authenticated: outlast config adopt")
}

// examineMissing tells of tasks that wait for a key, among the newest pending ones
// of all nodes.
func (r *report) examineMissing(keys map[string]int, more bool) {
	status := fine
	if len(keys) > 0 {
		status = fails
	}
	r.add("missing encryption keys", status, counted(keys, more),
		"give all nodes the key of that name; tasks whose key is lost never run again: outlast task cancel ID")
}

// examineSeal names the keys that tasks of the store were encrypted with. Which of
// them the nodes have, only they know.
func (r *report) examineSeal(ctx context.Context, inspector *inspect.Inspector) {
	status, err := inspector.Store.Encryption(ctx)
	switch {
	case err != nil:
		r.add("encryption", fails, err.Error(), "")
	case len(status.Known) == 0:
		r.add("encryption", fine, "off: no node has encrypted here", "")
	default:
		r.add("encryption", fine, "on; keys so far: "+strings.Join(status.Known, ", "), "")
	}
}
