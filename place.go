package outlast

import (
	"crypto/sha256"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
)

// NewID makes an id for a draft, for callers that want to repeat an enqueue
// whose outcome they do not know.
func NewID() ID { return accept.NewID(time.Now()) }

// content is the hash of what two drafts with one dedupe key must agree on:
// type, payload, target, ordering key and time as sent.
func (d *Draft) content() (sum [16]byte) {
	h := sha256.New()
	accept.HashText(h, d.Type)
	accept.HashText(h, string(d.Payload))
	if d.Target != nil {
		accept.HashText(h, d.Target.URL)
		accept.HashText(h, d.Target.Method)
		for _, name := range slices.Sorted(maps.Keys(d.Target.Headers)) {
			accept.HashText(h, name)
			accept.HashText(h, d.Target.Headers[name])
		}
		if d.Target.Success != "" {
			accept.HashText(h, "success:"+d.Target.Success)
		}
	}
	accept.HashText(h, "key:"+d.Key)
	accept.HashNumber(h, int64(d.Delay))
	if !d.RunAt.IsZero() {
		accept.HashNumber(h, d.RunAt.UnixMicro())
	}
	copy(sum[:], h.Sum(nil))
	return sum
}
