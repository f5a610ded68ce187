package alert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Kinds of the objects of this package. Rules and channels are configuration;
// the others are state, which is changed quietly.
const (
	KindRule    = "rule"
	KindChannel = "channel"

	kindState = "alert.state" // of a rule and subject that an event was raised for
	kindFires = "alert.fires" // of a rule and subject that is measured
	kindSlots = "alert.slots" // of a channel
	kindRates = "alert.rates" // of a node
)

// compiled is a rule that is ready to be asked.
type compiled struct {
	Rule
	account   string      // what its states are kept by
	condition *Expression // nil for always
}

func compile(rule *Rule) (*compiled, error) {
	c := &compiled{Rule: *rule, account: rule.Name}
	if rule.When == "" {
		return c, nil
	}
	condition, err := Compile(rule.On, rule.When)
	c.condition = condition
	return c, err
}

// holds reports whether the rule holds for an occurrence. What cannot be told,
// such as a division by zero, does not hold.
func (c *compiled) holds(o *Occurrence) bool {
	if c.condition == nil {
		return true
	}
	holds, err := c.condition.Holds(o.Values)
	return err == nil && holds
}

// configured is a channel of an object.
type configured struct {
	Settings
	body []byte
}

// book is all rules and channels at one time. Immutable.
type book struct {
	rules    map[On][]*compiled
	all      []Rule                 // by name, the built-in ones included
	builtin  map[string]bool        // names of all that are not replaced
	channels map[string]*configured // those that objects describe
	usual    []string               // the default channels
	silences []*Silence
	measures bool             // whether any rule looks at rates
	wrong    map[string]error // by "rule/NAME" or "channel/NAME"
}

// newBook reads the objects of rules and channels. One that cannot be read is
// left out, and named.
func newBook(builtin []Rule, objects []store.Object, read func(body []byte) (Settings, error)) *book {
	b := &book{rules: map[On][]*compiled{}, builtin: map[string]bool{}, channels: map[string]*configured{}, wrong: map[string]error{}}
	rules := map[string]Rule{}
	for _, rule := range builtin {
		rules[rule.Name], b.builtin[rule.Name] = rule, true
	}
	for i := range objects {
		object := &objects[i]
		if object.Doubt != nil {
			b.wrong[object.Kind+"/"+object.Name] = object.Doubt
			continue
		}
		switch object.Kind {
		case KindRule:
			rule, err := ParseRule(object.Body)
			if err != nil {
				b.wrong[KindRule+"/"+object.Name] = err
				continue
			}
			rule.Name = object.Name
			rules[rule.Name] = *rule
			delete(b.builtin, rule.Name)
		case KindChannel:
			settings, err := read(object.Body)
			if err != nil {
				b.wrong[KindChannel+"/"+object.Name] = err
				continue
			}
			if b.channels[object.Name] = (&configured{settings, object.Body}); settings.Default {
				b.usual = append(b.usual, object.Name)
			}
		case KindSilence:
			s := &Silence{}
			if json.Unmarshal(object.Body, s) == nil && time.Now().Before(s.Until) {
				b.silences = append(b.silences, s)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		rule := rules[name]
		b.all = append(b.all, rule)
		if rule.Disabled {
			continue
		}
		ready, err := compile(&rule)
		if err != nil {
			b.wrong[KindRule+"/"+name] = err
			continue
		}
		b.rules[rule.On] = append(b.rules[rule.On], ready)
	}
	b.measures = len(b.rules[OnTarget])+len(b.rules[OnType])+len(b.rules[OnCategory]) > 0
	slices.Sort(b.usual)
	return b
}

// to is who is told: the channels named, else the default ones, else the log.
func (b *book) to(named []string) []string {
	switch {
	case len(named) > 0:
		return named
	case len(b.usual) > 0:
		return b.usual
	}
	return []string{LogChannel}
}

// LogChannel is the name of the channel that is always there: the log of the
// node that delivers.
const LogChannel = "log"

// taskRules caches the parsed alerts of tasks by their text.
type taskRules struct {
	mu     sync.RWMutex
	parsed map[string]*compiled
}

// mostTaskRules bounds the cache; when there are more, it starts over.
const mostTaskRules = 1024

func (t *taskRules) of(text json.RawMessage) *compiled {
	t.mu.RLock()
	known, ok := t.parsed[string(text)]
	t.mu.RUnlock()
	if ok {
		return known
	}
	var made *compiled // nil for what cannot be read: it was checked when it was accepted
	if rule, err := ParseTaskRule(text); err == nil {
		made = &compiled{account: accountOf(rule), Rule: Rule{Name: taskRuleName, On: OnTask, When: cmp.Or(rule.When, `event == "dead"`), Channels: rule.Channels, Cooldown: rule.Cooldown}}
		made.condition, _ = Compile(OnTask, made.When)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.parsed == nil || len(t.parsed) >= mostTaskRules {
		t.parsed = map[string]*compiled{}
	}
	t.parsed[string(text)] = made
	return made
}

// accountOf is what the states of a task's own alert are kept by: whom it tells, and how
// often. No rule has such a name.
func accountOf(rule *TaskRule) string {
	sum := sha256.Sum256(fmt.Append(nil, length(rule.Cooldown, DefaultCooldown), strings.Join(rule.Channels, " ")))
	return taskRuleName + ":" + hex.EncodeToString(sum[:6])
}

// taskRuleName is the rule in messages of a task's own alert.
const taskRuleName = "task"

// message is what a rule tells of an occurrence.
func (c *compiled) message(id task.ID, o *Occurrence) *Message {
	taskType, _ := o.Values["type"].(string)
	target, _ := o.Values["target"].(string)
	return &Message{
		TaskType: taskType, Target: target,
		ID: id.String(), Kind: Raised, Rule: c.Name, Subject: o.Subject, Severity: cmp.Or(c.Severity, Warning),
		Text: o.Text, Fields: o.Fields, At: o.At.UTC().Truncate(time.Microsecond), Queue: o.Queue,
	}
}
