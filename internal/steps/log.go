// Package steps says which steps of a handler were done before, and what is to be undone
// when its task dies. It is pure: the engine reads and writes what it decides.
package steps

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Log is what is known of the steps of a task during one attempt. It is safe for
// concurrent use.
type Log struct {
	task *task.Task

	mu     sync.Mutex
	done   map[place]*task.Step  // by earlier attempts, of which none is undone
	asked  map[string]int        // how many of a name have ended in this attempt
	runs   map[string]bool       // names of which one runs now
	ends   map[string]*task.Step // of waits: signals, and timeouts
	waits  map[string]*task.Step // for signals, in which this attempt is
	places map[place]int         // of all that are stored, with their bytes
	last   int                   // the greatest Seq
	bytes  int
	writes int        // steps that are being written
	idle   *sync.Cond // of writes
	closed bool       // the attempt has ended
}

// place tells the steps of a task apart.
type place struct {
	name       string
	occurrence int
}

func placeOf(s *task.Step) place { return place{s.Name, s.Occurrence} }

func bytesOf(s *task.Step) int {
	n := len(s.Result)
	if s.Compensation != nil {
		n += len(s.Compensation.Payload)
	}
	return n
}

// New is the log of an attempt of a task of which steps are stored. It fails if one of
// them cannot be read.
func New(t *task.Task, stored []task.Step) (*Log, error) {
	l := &Log{task: t, done: map[place]*task.Step{}, ends: map[string]*task.Step{}, waits: map[string]*task.Step{}, asked: map[string]int{}, runs: map[string]bool{}, places: map[place]int{}}
	l.idle = sync.NewCond(&l.mu)
	done, err := Done(t, stored)
	if err != nil {
		return nil, err
	}
	for i := range stored {
		l.keep(&stored[i])
	}
	for i := range done {
		if s := &done[i]; s.EndsWait() {
			l.ends[s.Name] = s
		} else {
			l.done[placeOf(s)] = s
		}
	}
	return l, nil
}

// keep notes a step that is stored.
func (l *Log) keep(s *task.Step) {
	l.bytes += bytesOf(s) - l.places[placeOf(s)]
	l.places[placeOf(s)] = bytesOf(s)
	l.last = max(l.last, s.Seq)
}

// Begin asks for the next step of a name, whose result is of a type, "" for any. It is what
// was done before, or, with none, the step is to be done now: End says how that went. It
// fails for a name of which a step runs, for what was done with another type, and after
// Close.
func (l *Log) Begin(name, resultType string) (done *task.Step, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begin(name, resultType)
}

func (l *Log) begin(name, resultType string) (done *task.Step, err error) {
	if l.closed {
		return nil, ended(name)
	}
	if l.runs[name] {
		return nil, &Misuse{fmt.Sprintf("step %q runs already, and the same name at once would leave open which is which: step %q beside step %q", name, name, name), "give steps that run side by side names of their own"}
	}
	at := place{name, l.asked[name] + 1}
	done = l.done[at]
	if done == nil {
		if err := l.room(at); err != nil {
			return nil, err
		}
		l.runs[name] = true
		return nil, nil
	}
	if done.Type != "" && resultType != "" && done.Type != resultType {
		return nil, &Misuse{fmt.Sprintf("step %q was done with a result of type %s, and is asked for one of type %s", name, done.Type, resultType), "give a step that means something else another name"}
	}
	l.asked[name]++
	return done, nil
}

// Next completes a step of a name that runs and has succeeded, before it is written; Wrote
// follows. It fails if the task has too many or too large ones, and after Close.
func (l *Log) Next(s *task.Step) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ended(s.Name)
	}
	s.Task, s.Claim, s.Attempt, s.Occurrence = l.task.ID, l.task.Claim, l.task.Attempt, l.asked[s.Name]+1
	if err := l.fits(s); err != nil {
		return err // steps that ran beside it may have taken the rest
	}
	l.last++
	s.Seq = l.last
	l.writes++
	return nil
}

// room fails if one step more is too many.
func (l *Log) room(at place) error {
	if _, there := l.places[at]; there || len(l.places) < task.MaxSteps {
		return nil
	}
	return &Misuse{fmt.Sprintf("the task has %d steps, and no more are kept of one", task.MaxSteps), "enqueue a task for each part, or do more in a step"}
}

// Wrote says that the write of a step has ended, and whether it is stored.
func (l *Log) Wrote(s *task.Step, stored bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes--
	l.idle.Broadcast()
	if stored {
		l.asked[s.Name] = s.Occurrence
		l.keep(s)
	}
}

// End says that a step of a name runs no more. If it was not stored, the next call of the
// name does it again.
func (l *Log) End(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.runs, name)
}

// Refuse refuses further steps.
func (l *Log) Refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// Close refuses further steps, and returns when none is being written: what is stored
// then is all that this attempt has done.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.writes > 0 {
		l.idle.Wait()
	}
}

// Unasked are the names of steps that were done before and that this attempt has not asked
// for, in order.
func (l *Log) Unasked() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at := range l.done {
		if at.occurrence > l.asked[at.name] {
			names = append(names, at.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func ended(name string) error {
	return &Misuse{fmt.Sprintf("step %q comes after the end of its attempt", name), "wait for all steps before the handler returns or completes the task"}
}

// CheckName says what is wrong with the name of a step.
func CheckName(name string) error {
	if name == "" || utf8.RuneCountInString(name) > task.MaxName || !utf8.ValidString(name) {
		return &Misuse{"the name of a step has 1 to " + strconv.Itoa(task.MaxName) + " characters in UTF-8", "name what it does, such as \"charge\""}
	}
	return nil
}

// Misuse is a mistake of the handler.
type Misuse struct{ message, hint string }

func (m *Misuse) Error() string { return m.message + "; " + m.hint }

// Unwrap gives the mistake its code.
func (m *Misuse) Unwrap() error {
	return &task.Error{Code: task.CodeInvalid, Message: m.message, Hint: m.hint}
}

// RetryVerdict says that a mistake is a bug.
func (m *Misuse) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Bug, Effect: retry.Maybe, Type: "step", Code: string(task.CodeInvalid)}
}

// Unreadable says that it is not known what was done before.
type Unreadable struct{ message string }

func (u *Unreadable) Error() string { return u.message }

// RetryVerdict says that this node cannot tell: another may have the key.
func (u *Unreadable) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Local, Effect: retry.NotSent, Type: "step", Code: "unreadable"}
}
