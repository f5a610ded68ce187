package drafts

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func TestFollowPayload(t *testing.T) {
	parent := &task.Task{ID: accept.NewID(time.Now()), Payload: []byte("\xff\x00"), Type: "t"}
	end := &store.Settlement{Task: parent}
	if got := followPayload(parent, &task.Follow{}, task.FollowFallback, end); string(got) != "\xff\x00" {
		t.Errorf("a fallback gets %q", got)
	}
	if got := followPayload(parent, &task.Follow{Payload: []byte("1")}, task.FollowOnDead, end); string(got) != "1" {
		t.Errorf("a callback with a payload gets %q", got)
	}
	parent.Payload = make([]byte, task.MaxPayload)
	if got := followPayload(parent, &task.Follow{}, task.FollowOnDead, end); len(got) > task.MaxPayload {
		t.Errorf("a callback gets %d bytes", len(got))
	}
}
