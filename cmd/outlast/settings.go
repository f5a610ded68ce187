package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/app"
	"github.com/outlast-dev/outlast/config"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/server"
)

// settings is the configuration of a server: a flag goes before its environment
// variable, that before the file, and the file before the default.
type settings struct {
	*config.File
	overridden map[string]string // by path: the flag or variable
}

// overrides says which key of the file each flag is.
var overrides = []struct {
	flag, path string
	set        func(f *serveFlags, to *config.Config)
}{
	{"listen", "listen", func(f *serveFlags, to *config.Config) { to.Listen = f.listen }},
	{"advertise", "advertise", func(f *serveFlags, to *config.Config) { to.Advertise = f.advertise }},
	{"tls-cert", "tls.cert", func(f *serveFlags, to *config.Config) { to.TLS.Cert = f.cert }},
	{"tls-key", "tls.key", func(f *serveFlags, to *config.Config) { to.TLS.Key = f.key }},
	{"store", "store.url", func(f *serveFlags, to *config.Config) { to.Store.URL = f.store }},
	{"queues", "engine.queues", func(f *serveFlags, to *config.Config) { to.Engine.Queues = f.queues }},
	{"allow-target", "push.allow", func(f *serveFlags, to *config.Config) { to.Push.Allow = f.allow }},
	{"grace", "grace", func(f *serveFlags, to *config.Config) { to.Grace = config.Duration(f.grace) }},
	{"log-level", "log.level", func(f *serveFlags, to *config.Config) { to.Log.Level = f.level }},
	{"log-format", "log.format", func(f *serveFlags, to *config.Config) { to.Log.Format = f.format }},
	{"release", "release", func(f *serveFlags, to *config.Config) { to.Release = f.release }},
	{"otlp-endpoint", "telemetry.endpoint", func(f *serveFlags, to *config.Config) { to.Telemetry.Endpoint = f.otlp }},
	{"debug-listen", "debug_listen", func(f *serveFlags, to *config.Config) { to.DebugListen = f.debug }},
}

// settings reads the file, if there is one, and puts flags and variables before it.
func (f *serveFlags) settings(flags *pflag.FlagSet) (*settings, error) {
	file, err := config.Parse("", nil)
	if f.config != "" {
		file, err = readConfig(f.config)
	}
	if err != nil {
		return nil, err
	}
	s := &settings{file, map[string]string{}}
	for _, one := range overrides {
		if flag := flags.Lookup(one.flag); flag != nil && flag.Changed {
			one.set(f, &s.Config)
			s.overridden[one.path] = sourceOf(flag)
		}
	}
	return s, nil
}

// sourceOf is where the value of a flag comes from.
func sourceOf(flag *pflag.Flag) string {
	if name := flag.Annotations[fromVariable]; len(name) == 1 {
		return "env " + name[0]
	}
	return "flag --" + flag.Name
}

// options are those of the node.
func (s *settings) options() []outlast.Option {
	e, kept := &s.Engine, &s.Dead
	return []outlast.Option{
		outlast.WithRelease(s.Release),
		outlast.WithDeadRetention(time.Duration(kept.Retention)), outlast.WithDoneRetention(time.Duration(kept.DoneRetention)),
		outlast.WithAuditRetention(time.Duration(s.Audit.Retention)),
		outlast.WithCleanup(kept.Cleanup, kept.Zone), outlast.WithStatsEvery(time.Duration(kept.StatsEvery)), outlast.WithDeadBacklog(kept.Backlog),
		outlast.WithPushTimeout(time.Duration(s.Push.Timeout)), outlast.WithMaxPushTimeout(time.Duration(s.Push.Longest)),
		outlast.WithEngine(func(c *engine.Config) {
			c.Slots, c.NearFuture, c.Batch = e.Concurrency, e.NearFuture, e.Batch
			c.Horizon = time.Duration(e.Horizon)
			if poll := time.Duration(e.Poll); poll != c.Poll && poll != time.Second { // the default leaves more frequent looks to stores that tell of nothing
				c.Poll = poll
			}
		}),
	}
}

// secrets are the signing secrets of file and flags, by host.
func (s *settings) secrets(flags []string) (map[string][]byte, error) {
	texts := slices.Clone(flags)
	add := func(place, variable string) {
		given := slices.ContainsFunc(flags, func(text string) bool { return strings.HasPrefix(text, place+"=") })
		if variable != "" && !given {
			texts = append(texts, place+"="+variable)
		}
	}
	for host, target := range s.Targets {
		add(host, target.SecretEnv)
	}
	for name, group := range s.Groups {
		add(groupTarget+name, group.SecretEnv)
	}
	secrets, err := readSecrets(texts)
	if err != nil && s.Path != "" {
		return nil, fmt.Errorf("%w (flag --target-secret-env, or targets and groups in %s)", err, clean(s.Path))
	}
	return secrets, err
}

// appConfig is what the server is made of, whose version is that of the program.
func (s *settings) appConfig(f *serveFlags, version string) (app.Config, error) {
	ranges, err := parseRanges(s.Push.Allow)
	if err != nil {
		return app.Config{}, err
	}
	secrets, err := s.secrets(f.secrets)
	if err != nil {
		return app.Config{}, err
	}
	whole := *s.File // with the keys that flags name
	if err := f.keys.put(&whole.Encryption); err != nil {
		return app.Config{}, err
	}
	keys, err := readKeys(&whole.Encryption)
	if err != nil {
		return app.Config{}, err
	}
	made := app.Config{
		Listen: s.Listen, Store: s.Store.URL, Openers: openers(), Queues: s.Engine.Queues, AllowTargets: ranges, TargetSecrets: secrets,
		Grace: time.Duration(s.Grace), Version: version, Options: s.options(), DebugListen: s.DebugListen,
		Advertise: s.Advertise, Certificate: s.TLS.Cert, Key: s.TLS.Key, Archive: s.Dead.Archive,
		Limits:    server.Limits{Connections: s.Limits.Connections, PerAddress: s.Limits.PerAddress, Bodies: int64(s.Limits.BodyMiB) << 20},
		Telemetry: app.Telemetry{Endpoint: s.Telemetry.Endpoint, Sample: float64(s.Telemetry.Sample) / 100, Release: s.Release},
	}
	made.Exposed = whole.Exposed
	made.Options = append(made.Options, outlast.WithEncryption(keys))
	if s.Grace == 0 {
		made.Grace = -1
	}
	if s.Path != "" {
		made.File = s.File
	}
	return made, nil
}
