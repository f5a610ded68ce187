package alert

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

// Queue is the queue of alerts. Every node that runs tasks works on it; its
// lanes are few, and people do not see it among their queues.
const Queue = "outlast.alerts"

// Types of the tasks in it. What is sent to a channel has a type of its own,
// so that only nodes take it that can reach the channel.
const (
	TypeRaise  = "outlast.alert.raise"
	TypeDigest = "outlast.alert.digest"
	typeSend   = "outlast.alert.send:"
)

// SendType is the type of tasks that send to a channel.
func SendType(channel string) string { return typeSend + channel }

// Node is what a keeper needs of the engine beside it.
type Node interface {
	Wake(lanes ...uint16)
	Topology() *store.Topology
	Node() string
	Queue(name string) (store.Queue, bool)
}

// Config is what a keeper is made of.
type Config struct {
	Backend store.Backend
	Node    Node
	Logger  *slog.Logger
	// Backlog is from how many dead letters on their number is told; 1 when 0.
	Backlog int
	// Functions are channels that exist in this process only, by name.
	Functions map[string]Channel
	// Read reads the body of a channel's object. An error joins [retry.FieldError] values.
	Read func(body []byte) (Settings, error)
	// Open makes the channel of a name and such a body; the body of the log is nil.
	Open func(name string, body []byte) (Channel, error)
	// Serve is told which channels this node can send to, whenever that
	// changes.
	Serve func(channels []string)
	// Told is called after each try to deliver: the channel, and "sent",
	// "failed", "digested" or "silenced". Nil for nobody.
	Told func(channel, result string)
	// Groups measures the worker groups; nil where there are none.
	Groups func() []GroupSample
	// Keys counts the tasks that do not open on this node, by the encryption key
	// that it lacks; nil where nothing is encrypted.
	Keys func() map[string]int
	// Changes measures the attempts before and after the changes of the last day;
	// nil where nobody counts them.
	Changes func(ctx context.Context) ([]ChangeSample, error)
}

// Keeper runs the alerts of one node: a goroutine that looks for changed rules
// and writes what was held back, one that raises what happens outside of a
// task's settlement, and one that measures.
type Keeper struct {
	Config
	book    atomic.Pointer[book]
	looked  looks // to the usual bound
	glanced looks // for rules that are built in
	tasks   taskRules
	opening sync.Mutex // held while channels are opened
	gates   gates
	windows *Windows
	events  chan *Occurrence
	dropped atomic.Int64
	trouble trouble

	channels atomic.Pointer[map[string]Channel]
	reading  sync.Mutex // held while the configuration is read, so that what is read last holds
	version  int64      // of the configuration that was read
	loops    background.Loops
}

// mostEvents bounds what waits to be raised. Beyond it events are dropped and
// counted.
const mostEvents = 1024

// New makes a keeper. Until [Keeper.Load] it knows the built-in rules only.
func New(config Config) *Keeper {
	k := &Keeper{Config: config, windows: NewWindows(), events: make(chan *Occurrence, mostEvents), version: -1}
	k.publish(newBook(Builtin(config.Backlog), nil, config.Read))
	return k
}

// Load reads rules, channels and silences. [Keeper.Start] goes on to look for changes.
func (k *Keeper) Load(ctx context.Context) error {
	k.reading.Lock()
	defer k.reading.Unlock()
	return k.load(ctx)
}

func (k *Keeper) load(ctx context.Context) error {
	rules, err := k.Backend.Objects(ctx, KindRule)
	if err != nil {
		return err
	}
	channels, err := k.Backend.Objects(ctx, KindChannel)
	if err != nil {
		return err
	}
	silences, err := k.Backend.Objects(ctx, KindSilence)
	if err != nil {
		return err
	}
	k.publish(newBook(Builtin(k.Backlog), slices.Concat(rules, channels, silences), k.Read))
	return nil
}

// AddFunction makes a Go function a channel of this process.
func (k *Keeper) AddFunction(name string, channel Channel) {
	k.opening.Lock()
	functions := maps.Clone(k.Functions)
	if functions == nil {
		functions = map[string]Channel{}
	}
	functions[name] = channel
	k.Functions = functions
	k.opening.Unlock()
	k.publish(nil)
}

// publish makes a book the one that holds, nil for that which does, and opens its
// channels.
func (k *Keeper) publish(b *book) {
	k.opening.Lock()
	defer k.opening.Unlock()
	if b == nil {
		b = k.book.Load()
	}
	again := *b
	again.wrong = maps.Clone(b.wrong)
	maps.DeleteFunc(again.wrong, func(what string, _ error) bool {
		_, read := b.channels[strings.TrimPrefix(what, KindChannel+"/")]
		return read
	})
	b = &again
	open := map[string]Channel{}
	for name, made := range k.Functions {
		open[name] = made
	}
	if k.Open != nil {
		bodies := map[string][]byte{LogChannel: nil}
		for name, of := range b.channels {
			bodies[name] = of.body
		}
		for name, body := range bodies {
			if open[name] != nil {
				continue
			}
			made, err := k.Open(name, body)
			if err != nil {
				k.Logger.Warn("alert.channel_unusable", "channel", name, "error", err)
				b.wrong[KindChannel+"/"+name] = err
				continue
			}
			open[name] = made
		}
	}
	for what, err := range b.wrong {
		k.Logger.Warn("alert.refused", "object", what, "error", err)
	}
	k.channels.Store(&open)
	k.book.Store(b)
	if k.Serve != nil {
		names := make([]string, 0, len(open))
		for name := range open {
			names = append(names, name)
		}
		k.Serve(names)
	}
}

// How often the keeper looks for changed rules and writes what was held back,
// and how often it forgets old state.
const (
	lookEvery = time.Second
	tidyEvery = 10 * time.Minute
	callTime  = 10 * time.Second
)

// Start begins to work. Call it once.
func (k *Keeper) Start() {
	k.loops.Start(k.look, k.raiseEvents, k.measure)
}

// Stop ends the work, writes what was held back, and waits no longer than ctx.
func (k *Keeper) Stop(ctx context.Context) error {
	if !k.loops.Started() {
		return nil
	}
	if err := k.loops.Stop(ctx); err != nil {
		return err
	}
	k.last(ctx)
	return nil
}

// last puts on disk what is only known here.
func (k *Keeper) last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTime/2)
	defer cancel()
	for {
		select {
		case o := <-k.events:
			k.raiseOne(ctx, o)
			continue
		default:
		}
		break
	}
	k.writeHeld(ctx)
}

func (k *Keeper) look(ctx context.Context) {
	for background.Sleep(ctx, lookEvery) {
		if err := k.Renew(ctx); err != nil && ctx.Err() == nil {
			k.Logger.Warn("alert.load_failed", "error", err)
		}
		k.writeHeld(ctx)
	}
}

// Renew reads rules and channels if the node knows that the configuration has changed
// since they were read.
func (k *Keeper) Renew(ctx context.Context) error {
	k.reading.Lock()
	defer k.reading.Unlock()
	version := k.Node.Topology().Config
	if version == k.version {
		return nil
	}
	err := k.load(ctx)
	if err == nil {
		k.version = version
	}
	return err
}

// Names are the channels that a task can be told through: the log, those that are
// configured, and the functions of this process and of other living ones.
func (k *Keeper) Names() map[string]bool {
	known := map[string]bool{LogChannel: true}
	for name := range k.book.Load().channels {
		known[name] = true
	}
	for name := range *k.channels.Load() {
		known[name] = true
	}
	for _, node := range k.Node.Topology().Nodes {
		if node.State != store.NodeAlive || node.Gone {
			continue
		}
		for _, served := range node.Serves[Queue].Types {
			if name, sends := strings.CutPrefix(served, typeSend); sends {
				known[name] = true
			}
		}
	}
	return known
}

// Knows reports whether a channel is the log, configured, or a function of this process.
func (k *Keeper) Knows(channel string) bool {
	return channel == LogChannel || k.book.Load().channels[channel] != nil || (*k.channels.Load())[channel] != nil
}

// Rules are all rules by name, those built in included.
func (k *Keeper) Rules() []Rule { return k.book.Load().all }

// IsBuiltin reports whether the rule of a name is the built-in one.
func (k *Keeper) IsBuiltin(name string) bool { return k.book.Load().builtin[name] }

// Channels are the names of the channels that this node can send to.
func (k *Keeper) Channels() map[string]Channel { return *k.channels.Load() }

// Wrong is why rules and channels are not in use here, by "rule/NAME" or
// "channel/NAME".
func (k *Keeper) Wrong() map[string]error { return k.book.Load().wrong }

// Unheard says who is not told what the built-in rules hold for, "" where somebody is:
// there are channels, and none is a default one, so that what names no channel goes to
// the log only.
func (k *Keeper) Unheard() string {
	b := k.book.Load()
	channels := map[string]bool{}
	for name, of := range b.channels {
		channels[name] = of.Default
	}
	return Unheard(channels, b.all)
}

// Unheard is [Keeper.Unheard] of rules, and of channels by name, each with whether it is a
// default one; nil rules stand for those built in.
func Unheard(channels map[string]bool, rules []Rule) string {
	if rules == nil {
		rules = Builtin(1)
	}
	for _, usual := range channels {
		if usual {
			return ""
		}
	}
	var logged []string
	for i := range rules {
		if rule := &rules[i]; !rule.Disabled && len(rule.Channels) == 0 {
			logged = append(logged, rule.Name)
		}
	}
	if len(channels) == 0 || len(logged) == 0 {
		return ""
	}
	slices.Sort(logged)
	text := "no channel is a default one: the alerts of " + strings.Join(logged[:min(len(logged), mostNamed)], ", ")
	if more := len(logged) - mostNamed; more > 0 {
		text += " and " + strconv.Itoa(more) + " more rules"
	}
	return text + " go to the log only; set default: true for " + strings.Join(slices.Sorted(maps.Keys(channels)), " or ")
}

// Dropped counts events that no alert could be raised for because too many
// came at once, or the store did not take them.
func (k *Keeper) Dropped() int64 { return k.dropped.Load() }
