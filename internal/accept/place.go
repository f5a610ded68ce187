package accept

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/rand/v2"
	"net/url"
	"time"

	"github.com/outlast-dev/outlast/internal/targetname"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// NewID makes an id that was never there, of a task that comes now.
func NewID(now time.Time) task.ID { return task.NewID(now, globalRand{}) }

// globalRand is the generator of package math/rand/v2, which is seeded anew
// in every process and safe for concurrent use.
type globalRand struct{}

func (globalRand) Uint64() uint64 { return rand.Uint64() }

// LaneOf is the lane of a task in its queue: the hash of its ordering key
// over the lanes that the queue had at its creation, without one that of its
// dedupe key, without either that of the rest of its id over all lanes. So
// tasks of one key share a lane for ever, although lanes may be added.
func LaneOf(queue *store.Queue, id task.ID, key, dedupeKey string) uint16 {
	switch {
	case key != "":
		return KeyLane(queue, key)
	case dedupeKey != "":
		return KeyLane(queue, dedupeKey)
	}
	return queue.Numbers[LaneHash(string(id[:14]))%uint64(len(queue.Numbers))]
}

// KeyLane is the lane of a key, however many lanes were added to its queue. The queue
// must have one.
func KeyLane(queue *store.Queue, key string) uint16 {
	n := len(queue.Numbers)
	if queue.KeyLanes > 0 && queue.KeyLanes < n {
		n = queue.KeyLanes
	}
	return queue.Numbers[LaneHash(key)%uint64(n)]
}

// LaneHash is FNV-1a with 64 bits, finished by the mixer of MurmurHash3
// because the remainder by a power of two would use FNV's weak low bits only.
// It is part of the data format: another hash would tear keys apart.
func LaneHash(text string) uint64 {
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

// GroupTarget begins the names of targets that are worker groups.
const GroupTarget = "group:"

// TargetOf is the unit that limits protect: the host of the URL with a port that
// is not the scheme's own, without a URL the type. A host that is spelt like the
// type gets its scheme, since the engine takes a task for a handler's when its
// target is its type.
func TargetOf(taskType string, request *task.Request) string {
	if request == nil {
		return taskType
	}
	if name, _, ok := task.GroupOf(request.URL); ok {
		if name = GroupTarget + name; name == taskType {
			return GroupTarget + name
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

// HashText hashes a text with its length before it, so that parts do not run
// into each other.
func HashText(h hash.Hash, text string) {
	HashNumber(h, int64(len(text)))
	h.Write([]byte(text))
}

// HashNumber hashes a number, which always has eight bytes.
func HashNumber(h hash.Hash, n int64) {
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], uint64(n))
	h.Write(bytes[:])
}

// FollowID is the id of what follows a task. It is the same for the same end of the same
// task, since a settle may be repeated: the claim, a time in µs, gives the time, a hash
// the rest.
func FollowID(t *task.Task, kind task.FollowKind) task.ID {
	sum := sha256.New()
	sum.Write(t.ID[:])
	HashNumber(sum, t.Claim)
	HashText(sum, string(kind))
	random := FixedRand(sum.Sum(nil))
	return task.NewID(time.UnixMicro(t.Claim), &random)
}

// FixedRand is a source of the random numbers that it consists of.
type FixedRand []byte

// Uint64 returns the next eight bytes. It panics where there are no more.
func (f *FixedRand) Uint64() uint64 {
	next := binary.BigEndian.Uint64(*f)
	*f = (*f)[8:]
	return next
}

// CeilMicro rounds up to the store's microseconds, so that nothing is early.
func CeilMicro(t time.Time) time.Time {
	return t.Add(time.Microsecond - 1).Truncate(time.Microsecond).UTC()
}
