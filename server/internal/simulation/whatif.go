package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/sim"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The bounds of what is read for a replay, beside [Simulator.Longest].
const (
	whatIfTasks    = 2000
	mostWhatIf     = 10_000
	whatIfAttempts = 200_000
	whatIfPage     = 100
	whatIfAtOnce   = 8   // histories that are read at once
	drawnSteps     = 160 // of a series
	whatIfDay      = 24 * time.Hour
)

type whatIfInput struct {
	Body client.WhatIf
}

func (s *Simulator) addWhatIf(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/sim/whatif", ID: "replay-history", Needs: inspect.PermissionOperate, Scope: scope.Filtered, Tag: "simulator",
		Summary: "Replay recorded tasks under other policies, in virtual time",
		About: "Tasks that were created in a time, the newest first, with their recorded attempts: as they went, as they would go under the policies of now, and under others. " +
			"The limits say what that cannot know. One run of the simulator at a time on a node; reading takes 5 s at most and so does playing.",
	}, s.whatIf)
}

func (s *Simulator) whatIf(ctx context.Context, in *whatIfInput) (*route.Answer[client.WhatIfReport], error) {
	question := &in.Body
	filter, err := whatIfFilter(ctx, question)
	if err != nil {
		return nil, err
	}
	contenders, err := s.tried(ctx, question.Policies)
	if err != nil {
		return nil, err
	}
	seed := int64(1)
	if question.Seed != nil {
		seed = *question.Seed
	}
	out := client.WhatIfReport{Seed: seed, Runs: []client.WhatIfRun{}, Limits: []client.WhatIfLimit{}}
	err = s.alone(func() error {
		read, recorder, err := s.readRecorded(ctx, filter, question.Tasks, question.Of)
		if out.Read = read; err != nil || read.Tasks == 0 {
			return err
		}
		history, err := recorder.History()
		if err != nil {
			return err
		}
		out.Read.Targets = history.Targets()
		compared, err := sim.ReplayUntil(overAfter(ctx, s.Longest), history, uint64(seed), contenders) // any 64 bits will do
		if err != nil {
			return &task.Error{Code: task.CodeUnavailable, Message: "the replay takes longer than " + s.Longest.String(), Err: err,
				Hint: "ask for fewer tasks, or play it on your machine: outlast task export, then outlast sim compare --history"}
		}
		compared.Coarsen(drawnSteps)
		replayed(&out, compared)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return route.OK(out)
}

// whatIfFilter checks what is asked, and fills in what was left out.
func whatIfFilter(ctx context.Context, question *client.WhatIf) (store.Filter, error) {
	var none store.Filter
	switch n := question.Tasks; {
	case n == 0:
		question.Tasks = whatIfTasks
	case n < 0 || n > mostWhatIf:
		return none, task.Invalid("tasks", strconv.Itoa(n)+" is outside 1 to "+strconv.Itoa(mostWhatIf), "a longer history is for outlast sim compare --history")
	}
	if n := len(question.Policies); n > maxContenders {
		return none, task.Invalid("policies", fmt.Sprintf("%d are too many; the limit is %d", n, maxContenders), "leave some out")
	}
	if question.Until.IsZero() {
		question.Until = client.Time{Time: time.Now()}
	}
	if question.Since.IsZero() {
		question.Since = client.Time{Time: question.Until.Add(-whatIfDay)}
	}
	return scope.Filter(ctx, store.Filter{
		Type: question.Type, Queue: question.Queue, Target: question.Target, Since: question.Since.Time, Until: question.Until.Time,
	})
}

// tried are the contenders of a replay: the policies that hold now, and then the given
// ones.
func (s *Simulator) tried(ctx context.Context, given []client.WhatIfPolicy) ([]sim.Contender, error) {
	all := []sim.Contender{{Name: "current"}}
	for n := range given {
		p, place := &given[n], fmt.Sprintf("policies[%d].", n)
		if len(p.Name) > task.MaxName {
			return nil, task.Invalid(place+"name", "is longer than "+strconv.Itoa(task.MaxName)+" bytes", "")
		}
		contender, err := s.contender(ctx, place, &simPolicy{p.Preset, p.Policy})
		if err != nil {
			return nil, err
		}
		if contender == nil {
			return nil, task.Invalid(place+"policy", "neither preset nor policy is given", "give one of them")
		}
		if p.Name != "" {
			contender.Name = p.Name
		}
		all = append(all, *contender)
	}
	return all, nil
}

// readRecorded reads tasks with their attempts, the newest first, as far as the bounds go.
func (s *Simulator) readRecorded(ctx context.Context, filter store.Filter, most int, of string) (client.WhatIfRead, *sim.Recorder, error) {
	read := client.WhatIfRead{Since: wire.Time(filter.Since), Until: wire.Time(filter.Until)}
	recorder := sim.NewRecorder()
	page := store.Page{Limit: whatIfPage}
	over := overAfter(ctx, s.Longest)
	for {
		views, next, err := s.tasks.Find(ctx, filter, page)
		if err != nil {
			return read, nil, err
		}
		views, left := ran(views, most-read.Tasks, &read)
		if err := s.record(ctx, views, recorder, &read, of); err != nil {
			return read, nil, err
		}
		switch {
		case left || next != "" && read.Tasks == most:
			read.Stopped = "tasks"
		case next == "":
		case read.Attempts >= whatIfAttempts:
			read.Stopped = "attempts"
		case over():
			read.Stopped = "time"
		default:
			page.Cursor = next
			continue
		}
		return read, recorder, nil
	}
}

// ran leaves out tasks that nobody has tried, and those beyond a number; left tells
// that there were such.
func ran(views []*inspect.View, most int, read *client.WhatIfRead) (tried []*inspect.View, left bool) {
	for _, view := range views {
		if view.Claim != 0 && len(tried) == most {
			return tried, true
		}
		read.Oldest = wire.Time(view.CreatedAt)
		if view.Claim == 0 {
			read.Untried++
			continue
		}
		tried = append(tried, view)
	}
	return tried, false
}

// record reads the attempts of tasks, several at once, and adds those that have any.
func (s *Simulator) record(ctx context.Context, views []*inspect.View, recorder *sim.Recorder, read *client.WhatIfRead, of string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	attempts := make([][]sim.RecordedAttempt, len(views))
	others := make([]bool, len(views))
	free := make(chan struct{}, whatIfAtOnce)
	var all sync.WaitGroup
	for n, view := range views {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			found, err := s.tasks.Attempts(ctx, view.ID)
			if err != nil && !errors.Is(err, &task.Error{Code: task.CodeNotFound}) { // else its retention has passed meanwhile
				cancel(err)
			}
			attempts[n], others[n] = recordedAttempts(found), !ranUnder(view, found, of)
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for n, view := range views {
		if others[n] {
			read.Others++
			continue
		}
		took, err := recorder.Add(recordedTask(view, attempts[n]))
		if err != nil {
			return err
		}
		if took == 0 {
			read.Untried++
			continue
		}
		read.Tasks++
		read.Attempts += took
	}
	return nil
}

// ranUnder reports whether an attempt ran under a version of a policy, "" is any. Attempts
// under presets tell none: of them the policy counts that holds for the task.
func ranUnder(view *inspect.View, attempts []task.Attempt, policy string) bool {
	under := func(a task.Attempt) bool { return a.Policy == policy }
	told := func(a task.Attempt) bool { return a.Policy != "" }
	return policy == "" || slices.ContainsFunc(attempts, under) || view.PolicyName == policy && !slices.ContainsFunc(attempts, told)
}
