package outlast

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/targetname"
	"github.com/outlast-dev/outlast/task"
)

// NewID makes an id for a draft, for callers that want to repeat an enqueue
// whose outcome they do not know.
func NewID() ID { return task.NewID(time.Now(), globalRand{}) }

// globalRand is the generator of package math/rand/v2, which is seeded anew
// in every process and safe for concurrent use.
type globalRand struct{}

func (globalRand) Uint64() uint64 { return rand.Uint64() }

// laneOf is the lane of a task in its queue: the hash of its ordering key
// over the lanes that the queue had at its creation, without one that of its
// dedupe key, without either that of the rest of its id over all lanes. So
// tasks of one key share a lane for ever, although lanes may be added.
func laneOf(queue *Queue, id ID, key, dedupeKey string) uint16 {
	switch {
	case key != "":
		return keyLane(queue, key)
	case dedupeKey != "":
		return keyLane(queue, dedupeKey)
	}
	return queue.Numbers[laneHash(string(id[:14]))%uint64(len(queue.Numbers))]
}

func keyLane(queue *Queue, key string) uint16 {
	n := len(queue.Numbers)
	if queue.KeyLanes > 0 && queue.KeyLanes < n {
		n = queue.KeyLanes
	}
	return queue.Numbers[laneHash(key)%uint64(n)]
}

// laneHash is FNV-1a with 64 bits, finished by the mixer of MurmurHash3
// because the remainder by a power of two would use FNV's weak low bits only.
// It is part of the data format: another hash would tear keys apart.
func laneHash(text string) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(text) {
		sum = (sum ^ uint64(text[i])) * 1099511628211
	}
	sum ^= sum >> 33
	sum *= 0xff51afd7ed558ccd
	sum ^= sum >> 33
	sum *= 0xc4ceb9fe1a85ec53
	return sum ^ sum>>33
}

// groupTarget begins the names of targets that are worker groups.
const groupTarget = "group:"

// targetOf is the unit that limits protect: the host of the URL with a port that
// is not the scheme's own, without a URL the type. A host that is spelt like the
// type gets its scheme, since the engine takes a task for a handler's when its
// target is its type.
func targetOf(taskType string, request *task.Request) string {
	if request == nil {
		return taskType
	}
	if name, _, ok := task.GroupOf(request.URL); ok {
		if name = groupTarget + name; name == taskType {
			return groupTarget + name
		}
		return name
	}
	u, err := url.Parse(request.URL)
	if err != nil || u.Hostname() == "" {
		return taskType
	}
	name := targetname.Of(u)
	if name == taskType {
		return u.Scheme + ":" + name
	}
	return name
}

// content is the hash of what two drafts with one dedupe key must agree on:
// type, payload, target, ordering key and time as sent.
func (d *Draft) content() (sum [16]byte) {
	h := sha256.New()
	part(h, d.Type)
	part(h, string(d.Payload))
	if d.Target != nil {
		part(h, d.Target.URL)
		part(h, d.Target.Method)
		for _, name := range slices.Sorted(maps.Keys(d.Target.Headers)) {
			part(h, name)
			part(h, d.Target.Headers[name])
		}
		if d.Target.Success != "" {
			part(h, "success:"+d.Target.Success)
		}
	}
	part(h, "key:"+d.Key)
	number(h, int64(d.Delay))
	if !d.RunAt.IsZero() {
		number(h, d.RunAt.UnixMicro())
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// part hashes a text with its length before it, so that parts do not run
// into each other.
func part(h hash.Hash, text string) {
	number(h, int64(len(text)))
	h.Write([]byte(text))
}

func number(h hash.Hash, n int64) {
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], uint64(n))
	h.Write(bytes[:])
}
