package observe

import (
	"context"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/task"
)

// Observer is [outlast.Observer] of one client; nil functions are not called.
type Observer struct {
	Engine        engine.Observer
	Enqueued      func(ctx context.Context, t *task.Task, existing bool)
	Refused       func(ctx context.Context, err error)
	Redriven      func(redriven, missing int)
	Ticked        func(e inspect.ScheduleEvent)
	AlertTold     func(channel, result string)
	Undecryptable func(t *task.Task)
	Exhausted     func(code string)
	Started       func() error
	Stopped       func()
}

// Observers are those of one client, in their order.
type Observers []Observer

// Engine is what the engine tells them, but for the tasks of alerts.
func (os Observers) Engine() engine.Observer {
	all := make([]engine.Observer, len(os))
	for i := range os {
		all[i] = os[i].Engine
	}
	return OfPeople(Combine(all))
}

// Enqueued tells of a task that was handed in.
func (os Observers) Enqueued(ctx context.Context, t *task.Task, existing bool) {
	for i := range os {
		if f := os[i].Enqueued; f != nil {
			f(ctx, t, existing)
		}
	}
}

// Refused tells of a task that was not accepted. It returns the error, which may be nil.
func (os Observers) Refused(ctx context.Context, err error) error {
	if err != nil {
		for i := range os {
			if f := os[i].Refused; f != nil {
				f(ctx, err)
			}
		}
	}
	return err
}

// Redriven tells of letters that went back.
func (os Observers) Redriven(redriven, missing int) {
	for i := range os {
		if f := os[i].Redriven; f != nil {
			f(redriven, missing)
		}
	}
}

// Ticked tells what the ticker has done.
func (os Observers) Ticked(e inspect.ScheduleEvent) {
	for i := range os {
		if f := os[i].Ticked; f != nil {
			f(e)
		}
	}
}

// AlertTold tells of a try to tell people.
func (os Observers) AlertTold(channel, result string) {
	for i := range os {
		if f := os[i].AlertTold; f != nil {
			f(channel, result)
		}
	}
}

// Undecryptable tells of a task that cannot be opened.
func (os Observers) Undecryptable(t *task.Task) {
	for i := range os {
		if f := os[i].Undecryptable; f != nil {
			f(t)
		}
	}
}

// Exhausted tells of a request that could not be made.
func (os Observers) Exhausted(code string) {
	for i := range os {
		if f := os[i].Exhausted; f != nil {
			f(code)
		}
	}
}

// Start tells that the client starts. Where one refuses, those before it are told that
// it has stopped.
func (os Observers) Start() error {
	for i := range os {
		if f := os[i].Started; f != nil {
			if err := f(); err != nil {
				os[:i].Stop()
				return err
			}
		}
	}
	return nil
}

// Stop tells that the client has stopped.
func (os Observers) Stop() {
	for i := range os {
		if f := os[i].Stopped; f != nil {
			f()
		}
	}
}
