package outlasttest

import (
	"context"
	"slices"
	"sync"

	"github.com/outlast-dev/outlast/internal/engine"
)

// Fail lets attempts end with an error in place of their handler, which does not run. They are
// those of the tasks of a type or of a target: "mail.send", "@stripe" or the host of an HTTP
// task, "api.example.com". With numbers, from 1, only these attempts of each task fail;
// without, all. The error may be one that a handler steers by, such as [outlast.GiveUp]. Of
// several faults the one that was set last goes first. It may be called at any time, from any
// goroutine; heal ends it.
func (k *Kit) Fail(name string, err error, attempts ...int) (heal func()) {
	k.t.Helper()
	if err == nil {
		k.t.Fatal("outlasttest: Fail needs an error")
	}
	return k.fault(name, attempts, func() error { return err })
}

// Panic is [Kit.Fail] with a panic.
func (k *Kit) Panic(name string, value any, attempts ...int) (heal func()) {
	k.t.Helper()
	return k.fault(name, attempts, func() error { panic(value) })
}

func (k *Kit) fault(name string, attempts []int, end func() error) (heal func()) {
	k.t.Helper()
	for _, number := range attempts {
		if number < 1 {
			k.t.Fatalf("outlasttest: attempts count from 1, there is no attempt %d", number)
		}
	}
	return k.faults.add(&fault{name: name, attempts: slices.Clone(attempts), end: end})
}

// faults are those of a kit. The zero value has none; it is safe for concurrent use.
type faults struct {
	mu  sync.Mutex
	all []*fault // the newest first
}

// fault is how some attempts end.
type fault struct {
	name     string
	attempts []int // none for all
	end      func() error
}

func (f *faults) add(one *fault) (remove func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.Insert(f.all, 0, one)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.all = slices.DeleteFunc(f.all, func(other *fault) bool { return other == one })
	}
}

// before is asked before each attempt of a client.
func (f *faults) before(_ context.Context, run *engine.Run) error {
	if one := f.of(run); one != nil {
		return one.end()
	}
	return nil
}

func (f *faults) of(run *engine.Run) *fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.all {
		of := one.name == run.Task.Type || one.name == run.Task.Target
		if of && (len(one.attempts) == 0 || slices.Contains(one.attempts, run.Task.Attempt)) {
			return one
		}
	}
	return nil
}
