package health

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store/sealed"
)

// examineKeys tells of encryption: of tasks that do not open here, and of tasks in
// the clear beside encrypted ones. It makes no server unready: what does open runs,
// and a server that gets no requests opens nothing more.
func (r *readiness) examineKeys(ctx context.Context) {
	status, err := r.Inspect.Store.Encryption(ctx)
	if err != nil {
		r.check("encryption", err, "")
		return
	}
	r.health.Checks["encryption"] = client.Check{
		OK: !status.InTheClear() && len(status.Waiting) == 0 && len(status.Operations) == 0 && len(status.Unproven) == 0, Detail: strings.Join(slices.Concat(sealedBy(status), waitingFor(status), doubtIn(status)), "; "),
	}
}

func sealedBy(status *sealed.Status) []string {
	said := []string{"off"}
	switch {
	case status.Current != "":
		said[0] = "on, with the key " + status.Current
	case status.InTheClear():
		said[0] = "other nodes encrypt (key " + strings.Join(status.Known, ", ") + "), and tasks that are accepted here are in the clear"
	case len(status.Known) > 0:
		said[0] = "new tasks are in the clear, by encryption.clear"
	}
	if len(status.Missing) > 0 {
		said = append(said, "not here: "+strings.Join(status.Missing, ", "))
	}
	return said
}

// waitingFor tells of each key for want of which tasks or operations do not open.
func waitingFor(status *sealed.Status) (said []string) {
	for _, key := range slices.Sorted(maps.Keys(status.Waiting)) {
		why := "for want of the key " + key
		if key == "" {
			why = "as their last_error says"
		}
		said = append(said, fmt.Sprintf("tasks that do not open here %s: %d", why, status.Waiting[key]))
	}
	for _, key := range slices.Sorted(maps.Keys(status.Operations)) {
		why := "for want of the key " + key
		if key == "" {
			why = "since they are damaged, or of a later release"
		}
		said = append(said, fmt.Sprintf("redrives that do not open here %s: %d", why, status.Operations[key]))
	}
	return said
}

// doubtIn names the objects that are not used because nobody vouches for them.
func doubtIn(status *sealed.Status) (said []string) {
	if len(status.Unproven) > 0 {
		said = append(said, "not authenticated, and not used: "+listed(slices.Sorted(maps.Keys(status.Unproven)))+" (outlast config adopt shows and adopts them)")
	}
	return said
}
