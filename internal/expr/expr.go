// Package expr has the conditions that people write into the rules of policies, of
// alerts, and of what else is asked at run time. What their texts mean is the matter
// of package cel, which a program links by importing it: [Use] is told of it.
package expr

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// MaxText is the longest condition, in bytes.
const MaxText = 2 << 10

// Variable is a name that conditions can use.
type Variable struct {
	Name string
	// Type is string, int, double, bool, duration, map (of anything by text) or
	// any, whose type shows at the evaluation only.
	Type string
}

// Language is the conditions over a set of variables. Its fields must not change
// after the first use. It is safe for concurrent use, and must not be copied.
type Language struct {
	Variables []Variable
	// Size bounds the bytes of a text and the entries of a list or map among the
	// values. Longer ones are not refused, but the cost of a condition is judged
	// by it. The default is [task.MaxErrorText].
	Size int
	// Hint says what to write instead of a condition that cannot be read.
	Hint string
	// Where begins the hint that lists the variables, such as "on dead". It may
	// be empty.
	Where string

	once    sync.Once // guards compile and err: a compiler costs some milliseconds
	compile Compiler
	err     error
	kept    cache
}

// Bound is [Language.Size], or its default.
func (l *Language) Bound() int { return cmp.Or(l.Size, task.MaxErrorText) }

// Compiler makes a program of a text. Its error is a [retry.FieldError] without a
// field. It is safe for concurrent use.
type Compiler func(text string) (Program, error)

// Program is what a text was compiled to.
type Program struct {
	// Holds evaluates it, as [Condition.Holds] does.
	Holds func(values Values) (bool, error)
	// Weight is about the bytes that it keeps.
	Weight int
}

// Values tells the value of a variable, and whether it is known. It is asked
// only for what the condition comes to.
type Values func(name string) (any, bool)

// In looks values up in a map.
func In(values map[string]any) Values {
	return func(name string) (any, bool) {
		value, set := values[name]
		return value, set
	}
}

var used atomic.Pointer[func(*Language) (Compiler, error)]

// Use makes conditions possible in this process: of tells what compiles those of a
// language. It has to be called before conditions are read, such as by an init.
func Use(of func(*Language) (Compiler, error)) { used.Store(&of) }

// Linked reports whether conditions can be read in this process.
func Linked() bool { return used.Load() != nil }

// Condition is a compiled text. It is safe for concurrent use.
type Condition struct {
	Program
	text string
}

// String returns the text.
func (c *Condition) String() string { return c.text }

// Holds evaluates the condition. An error says that it cannot be told, such as
// a missing key of a map, a division by zero or the cost limit.
func (c *Condition) Holds(values Values) (bool, error) { return c.Program.Holds(values) }

// Compile reads a condition. The same text is compiled once as long as it is
// among the last ones. The error is a [retry.FieldError] without a field: its
// message has the position, its hint what is possible.
func (l *Language) Compile(text string) (*Condition, error) {
	if known := l.kept.find(text); known != nil {
		return known, nil
	}
	of := used.Load()
	if of == nil {
		return nil, &retry.FieldError{
			Message: "is a condition, and this program reads none",
			Hint:    `link their language into it: import _ "github.com/outlast-dev/outlast/cel"`,
		}
	}
	l.once.Do(func() { l.compile, l.err = (*of)(l) })
	if l.err != nil {
		return nil, l.err
	}
	program, err := l.compile(text)
	if err != nil {
		return nil, err
	}
	made := &Condition{program, text}
	l.kept.keep(made)
	return made, nil
}
