package accept

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The hash is part of the data format.
func TestLaneHashStays(t *testing.T) {
	for text, want := range map[string]uint64{
		"":          0xefd01f60ba992926,
		"a":         0x82a2a958a9bece5b,
		"order-42":  0x8e47543c313c6386,
		"ключ":      0x590520d718275ed5,
		"order-420": 0xe8b1ad7a0be1a365,
	} {
		if got := LaneHash(text); got != want {
			t.Errorf("%q hashes to %#x, want %#x", text, got, want)
		}
	}
}

// Keys stay where they are when lanes are added; the rest spreads over all.
func TestLaneOf(t *testing.T) {
	numbers := make([]uint16, 32)
	for i := range numbers {
		numbers[i] = uint16(100 + i)
	}
	small := store.Queue{KeyLanes: 8, Numbers: numbers[:8]}
	large := store.Queue{KeyLanes: 8, Numbers: numbers}
	rapid.Check(t, func(t *rapid.T) {
		key, dedupe := rapid.String().Draw(t, "key"), rapid.String().Draw(t, "dedupe key")
		id := NewID(time.Now())
		if (key != "" || dedupe != "") && LaneOf(&small, id, key, dedupe) != LaneOf(&large, id, key, dedupe) {
			t.Fatal("the key moved")
		}
		if LaneOf(&large, id, key, dedupe) != LaneOf(&large, id.WithLane(7), key, dedupe) {
			t.Fatal("the lane depends on the lane bits")
		}
	})
	used := map[uint16]int{}
	for range 32_000 {
		used[LaneOf(&large, NewID(time.Now()), "", "")]++
	}
	for _, number := range numbers {
		if n := used[number]; n < 800 || n > 1200 {
			t.Errorf("lane %d has %d of 32000 tasks", number, n)
		}
	}
}

func TestTargetOf(t *testing.T) {
	for _, c := range []struct{ taskType, url, want string }{
		{"mail", "", "mail"},
		{"http", "https://API.Example.com/x", "api.example.com"},
		{"http", "http://API.example.com:8080/", "api.example.com:8080"},
		{"http", "http://api.example.com:80/", "api.example.com"},
		{"http", "https://api.example.com:80/", "api.example.com:80"},
		{"api.example.com", "https://api.example.com/", "https:api.example.com"},
		{"api.example.com", "http://api.example.com/", "http:api.example.com"},
		{"api.example.com", "http://api.example.com:8080/", "api.example.com:8080"},
		{"api.example.com:8080", "http://api.example.com:8080/", "http:api.example.com:8080"},
		{"http", "http://[2001:db8::1]/", "2001:db8::1"},
		{"http", "http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"},
	} {
		var request *task.Request
		if c.url != "" {
			request = &task.Request{URL: c.url}
		}
		if got := TargetOf(c.taskType, request); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.url, c.taskType, got, c.want)
		}
	}
}

// A settle may be repeated: what follows must be the same task.
func TestFollowsAreDeterministic(t *testing.T) {
	parent := &task.Task{ID: NewID(time.Now()), Claim: 1_700_000_000_000_000}
	first, again := FollowID(parent, task.FollowFallback), FollowID(parent, task.FollowFallback)
	if first != again {
		t.Error("two ids for one fallback")
	}
	if !first.Time().Equal(first.Time()) || first.Time().UnixMicro() != parent.Claim {
		t.Errorf("made at %v", first.Time())
	}
	if other := FollowID(parent, task.FollowOnDead); other == first {
		t.Error("fallback and callback have one id")
	}
	later := *parent
	later.Claim++
	if FollowID(&later, task.FollowFallback) == first {
		t.Error("a redriven task has the fallback of its first life")
	}
	if _, err := task.ParseID(first.String()); err != nil {
		t.Error(err)
	}
}
