package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	_ "github.com/outlast-dev/outlast/cel" // conditions in the file
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// File is a configuration that was read, completed by defaults.
type File struct {
	Config
	Path string // "" where there is no file

	tree *tree
}

// Read reads and checks a file. What is wrong with its content is an [*Error].
func Read(path string) (*File, error) {
	file, err := os.Open(path) //nolint:gosec // the file that the operator names
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse checks the content of a file; path is for messages. Everything that is
// wrong is in one [*Error].
func Parse(path string, data []byte) (*File, error) {
	f := &File{Path: path, tree: readTree(data)}
	d := &decoder{f.tree}
	d.defaults(reflect.ValueOf(&f.Config).Elem())
	if len(d.wrong) == 0 || f.tree.root != nil {
		d.read("", f.tree.root, &f.Config)
		f.check(d)
	}
	if err := problems(path, d.wrong); err != nil {
		return nil, err
	}
	return f, nil
}

// Check looks at the values again, after some were replaced. What is wrong is an
// [*Error], without lines.
func (f *File) Check() error {
	d := &decoder{readTree(nil)}
	f.check(d)
	return problems("", d.wrong)
}

// check finds what is wrong with values that can be read.
func (f *File) check(d *decoder) {
	for _, one := range []struct{ path, address string }{{"listen", f.Listen}, {"debug_listen", f.DebugListen}} {
		if _, _, err := net.SplitHostPort(one.address); err != nil && one.address != "" {
			d.refuse(one.path, "write it as 127.0.0.1:7070", "%s is not an address and port", task.Quote(one.address))
		}
	}
	if host, _, err := net.SplitHostPort(f.DebugListen); err == nil && !loopback(host) {
		d.refuse("debug_listen", "write it as 127.0.0.1:6060", "%s is not a loopback address: the profiler shows everything", task.Quote(f.DebugListen))
	}
	if _, _, err := net.SplitHostPort(f.Advertise); err != nil && f.Advertise != "" {
		d.refuse("advertise", "write it as host:port", "%s is not an address and port", task.Quote(f.Advertise))
	}
	if problem := accept.URLProblem(f.PublicURL); problem != "" {
		d.refuse("public_url", "write it as https://outlast.example.com", "%s", problem)
	}
	if (f.TLS.Cert == "") != (f.TLS.Key == "") {
		d.refuse("tls", "give both files, or neither", "one of cert and key is missing")
	}
	if problem := accept.URLProblem(f.Telemetry.Endpoint); problem != "" {
		d.refuse("telemetry.endpoint", EndpointHint, "%s", problem)
	}
	for i, text := range f.Push.Allow {
		if !isRange(text) {
			d.refuse(fmt.Sprintf("push.allow[%d]", i), "", "%s is not an address range such as 10.0.0.0/8", task.Quote(text))
		}
	}
	kept := dead.Config{Retention: time.Duration(f.Dead.Retention), DoneRetention: time.Duration(f.Dead.DoneRetention), Cleanup: f.Dead.Cleanup, Zone: f.Dead.Zone, StatsEvery: time.Duration(f.Dead.StatsEvery)}
	for _, field := range kept.Check() {
		d.refuse("dead."+field.Path, "", "%s", field.Message)
	}
	for name, target := range f.Targets {
		d.secretEnv(join("targets", name), target.SecretEnv)
	}
	for name, group := range f.Groups {
		d.secretEnv(join("groups", name), group.SecretEnv)
	}
	for name, queue := range f.Queues {
		if rate := queue.Shares.Rate; rate != nil {
			if _, _, err := store.ShareRate(*rate).Parse(); err != nil {
				d.refuse(join("queues", name)+".shares.rate", "a number up to 1000000, a slash and s, m or h: 50/s", "%.64q is not a rate", *rate)
			}
		}
	}
	f.checkNames(d)
	f.Encryption.check(d)
	if n := len(f.Policies) + len(f.Types) + len(f.Targets) + len(f.Queues) + len(f.Groups) + len(f.Schedules) + len(f.Alerts.Channels) + len(f.Alerts.Rules); n > mostNamed {
		d.refuse("", "", "has %d entries; the limit is %d", n, mostNamed)
	}
}

// mostNamed leaves room in one change for what is deleted.
const mostNamed = store.MaxChange/2 - 10

// secretEnv refuses the name of a variable that is a secret itself, or no name.
func (d *decoder) secretEnv(path, name string) {
	if strings.HasPrefix(name, channel.SecretPrefix) {
		d.refuse(path+".secret_env", "rename the variable", "channels created over the API may name variables that begin with %s", channel.SecretPrefix)
	}
	if strings.HasPrefix(name, "whsec_") || strings.ContainsAny(name, "= \t\n") {
		d.refuse(path+".secret_env", "put the secret into a variable and give the name of that", "is not the name of an environment variable")
	}
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

func isRange(text string) bool {
	_, err := netip.ParsePrefix(text)
	if err != nil {
		_, err = netip.ParseAddr(text)
	}
	return err == nil
}

// checkNames checks the names that sections give and take. A policy that is not
// in the file may have been put by the API, so it is looked for when the file is
// applied.
func (f *File) checkNames(d *decoder) {
	for section, names := range map[string][]string{"queues": slices.Collect(maps.Keys(f.Queues)), "types": slices.Collect(maps.Keys(f.Types)), "groups": slices.Collect(maps.Keys(f.Groups)), "schedules": slices.Collect(maps.Keys(f.Schedules)), "engine.queues": f.Engine.Queues} {
		for _, name := range names {
			if err := policy.CheckName(name); err != nil {
				d.refuse(join(section, name), policy.NameHint, "%s", retry.FieldErrors(err)[0].Message)
			}
		}
	}
}

// Names calls each with the place of every name of a policy that the file takes
// from elsewhere: neither itself nor the presets have it.
func (f *File) Names(each func(path, name string)) {
	ask := func(path, name string) {
		if name == "" || f.Policies[name] != nil {
			return
		}
		if _, err := retry.Preset(name); err != nil {
			each(path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Policies)) {
		if p := f.Policies[name]; p != nil && p.Fallback != nil {
			ask(join("policies", name)+".fallback.policy", p.Fallback.Policy)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Queues)) {
		if q := f.Queues[name]; q.Policy != nil {
			ask(join("queues", name)+".policy", *q.Policy)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Types)) {
		ask(join("types", name)+".policy", f.Types[name].Policy)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Schedules)) {
		if s, err := schedules.Parse(store.Object{Name: name, Body: f.Schedules[name].Body}); err == nil {
			ask(join("schedules", name)+".task.policy", s.Task.Policy)
		}
	}
}

// nearestPolicy is the policy of the file, preset or other known policy whose name is
// nearest to one that there is not, "" where none is near.
func (f *File) nearestPolicy(name string, others ...string) string {
	return hints.Nearest(name, slices.Concat(slices.Sorted(maps.Keys(f.Policies)), retry.Presets(), slices.Sorted(slices.Values(others))))
}

// Refuse is the error of problems that show only beside the database; lines are
// filled in.
func (f *File) Refuse(all ...Problem) error {
	f.Place(all)
	return problems(f.Path, all)
}

// KindQueue is the kind of objects that say what the file wants of a queue.
const KindQueue = "queue"

// Kinds are the kinds of the objects that a file puts and deletes.
var Kinds = []string{policy.Kind, policy.KindType, policy.KindTarget, policy.KindSetting, KindQueue, kindGroup, kindChannel, kindRule, schedules.Kind}

// Kinds of other packages.
const (
	kindGroup   = "group"
	kindChannel = "channel"
	kindRule    = "rule"
)

// Objects are what of the file holds on all nodes, by kind and name.
func (f *File) Objects() []store.Object {
	var all []store.Object
	add := func(kind, name string, body any) {
		text, err := json.Marshal(body)
		if err != nil {
			return // plain values
		}
		all = append(all, store.Object{Kind: kind, Name: name, Body: text, Managed: policy.ManagedByFile, Actor: "file"})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Policies)) {
		add(policy.Kind, name, f.Policies[name].Body)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Types)) {
		add(policy.KindType, name, f.Types[name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.Targets)) {
		if most := f.Targets[name].Concurrency; most > 0 {
			add(policy.KindTarget, name, policy.Target{Concurrency: most})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Queues)) {
		add(KindQueue, name, f.Queues[name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.Groups)) {
		kept := f.Groups[name]
		kept.SecretEnv = "" // it is for the servers that have the file
		add(kindGroup, name, kept)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Schedules)) {
		add(schedules.Kind, name, f.Schedules[name].Body)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Alerts.Channels)) {
		add(kindChannel, name, f.Alerts.Channels[name].Body)
	}
	for _, rule := range f.Alerts.Rules {
		add(kindRule, rule.Name, rule.Body)
	}
	if !f.Retries {
		add(policy.KindSetting, policy.Retries, map[string]bool{"on": false})
	}
	return all
}

// Hash names what of the file holds on all nodes: equal for files that say the
// same.
func (f *File) Hash() string {
	sum := sha256.New()
	for _, o := range f.Objects() {
		fmt.Fprintf(sum, "%s %q %s\n", o.Kind, o.Name, o.Body)
	}
	fmt.Fprintf(sum, "%q", f.Revision)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Place fills in the lines of problems.
func (f *File) Place(all []Problem) {
	for i := range all {
		all[i].Line = cmp.Or(all[i].Line, f.tree.line(all[i].Path))
	}
}
