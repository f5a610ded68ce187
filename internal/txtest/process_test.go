package txtest

import (
	"context"
	"errors"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
)

// childPlace is the variable of the environment that makes this program a node
// which kills itself at points: kind, points and address of the database.
const childPlace = "OUTLAST_TXTEST_CHILD"

// points are where a process dies while a handler works, in order.
var points = []string{"before the effect", "before the completion", "before the commit", "after the commit", "after a failed return"}

// child runs a task for each point, and dies when all are there.
func child(place string) {
	parts := strings.SplitN(place, "|", 3)
	kind := kinds()[slices.IndexFunc(kinds(), func(k kind) bool { return k.name == parts[0] })]
	if err := dieAt(context.Background(), kind, strings.Split(parts[1], ","), parts[2]); err != nil {
		log.Fatal(err)
	}
}

func dieAt(ctx context.Context, k kind, points []string, address string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	backend, err := k.store(ctx, address)
	if err != nil {
		return err
	}
	p, err := k.pool(ctx, address)
	if err != nil {
		return err
	}
	var queues []string
	for _, point := range points {
		queues = append(queues, nameOf(point))
	}
	client, err := outlast.Open(ctx, backend, outlast.WithQueues(queues...))
	if err != nil {
		return err
	}
	arrived := make(chan string)
	for _, point := range points {
		outlast.Handle(client, nameOf(point), payUntil(p, func(at string) {
			if at == point {
				arrived <- point
				select {}
			}
		}), quick(100))
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	for range points {
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// payUntil is a handler that pays and then fails. It tells where it is.
func payUntil(p pool, is func(at string)) func(context.Context, none) error {
	return func(ctx context.Context, _ none) error {
		err := inTx(ctx, p, func(t tx) error {
			is("before the effect")
			if err := effect(ctx, t, 1); err != nil {
				return err
			}
			is("before the completion")
			err := t.complete(ctx, "paid")
			is("before the commit")
			return err
		})
		is("after the commit")
		time.AfterFunc(2*time.Second, func() { is("after a failed return") }) // sleep: the settlement is under way or done
		return errors.Join(err, errRefused)
	}
}

// nameOf is the type and the queue of the task that a point is for.
func nameOf(point string) string { return "pay." + strings.ReplaceAll(point, " ", "_") }

// A process that is killed anywhere around the commit of its handler leaves one
// effect, and only what it did not commit is run again.
func TestKilledAroundTheCommit(t *testing.T) {
	everywhere(t, func(s *shop) {
		front := s.node(func(*outlast.Client) {}, outlast.WithEnqueueOnly())
		ids, queues := map[string]outlast.ID{}, []string{}
		for _, point := range points {
			name := nameOf(point)
			_, err := front.Inspector().Queues.Put(s.ctx, store.Queue{Name: name, Lanes: 1})
			s.ok(err)
			ids[point] = s.enqueue(front, outlast.Draft{Type: name, Queue: name})
			queues = append(queues, name)
		}
		together := 1
		if !s.db.kind.alone { // open transactions do not keep others from their points
			together = len(points)
		}
		for some := range slices.Chunk(points, together) {
			s.runChild(some)
		}
		other := s.node(func(c *outlast.Client) {
			for _, point := range points {
				outlast.Handle(c, nameOf(point), func(ctx context.Context, _ none) error { return pay(ctx, s) }, quick(100))
			}
		}, outlast.WithQueues(queues...))
		for i, point := range points {
			done := s.paidOnce(other, ids[point])
			if committed := i >= slices.Index(points, "after the commit"); committed != (done.Crashes == 0) || done.Attempt != 1 {
				s.Errorf("killed %s: attempt %d, %d crashes", point, done.Attempt, done.Crashes)
			}
		}
	})
}

// runChild runs this program as a node that dies at the points, and waits for
// its death.
func (s *shop) runChild(points []string) {
	s.Helper()
	program, err := os.Executable()
	s.ok(err)
	cmd := exec.CommandContext(s.ctx, program)
	cmd.Env = append(os.Environ(), childPlace+"="+strings.Join([]string{s.db.kind.name, strings.Join(points, ","), s.db.address}, "|"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		s.Fatalf("killed %s: the process ended with %v:\n%s", points, err, out)
	}
}
