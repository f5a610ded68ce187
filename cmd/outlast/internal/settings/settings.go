// Package settings is the configuration of a server: what flags, environment and file
// say.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/server"
)

// ReadConfig reads a configuration file; one that cannot be opened is a mistake in
// the command, as it is for a file of policies.
func ReadConfig(path string) (*config.File, error) {
	file, err := config.Read(path)
	if errors.As(err, new(*fs.PathError)) {
		err = cli.Usagef("%v", err)
	}
	return file, err
}

// Settings is the configuration of a server: a flag goes before its environment
// variable, that before the file, and the file before the default.
type Settings struct {
	*config.File
	Overridden map[string]string // by path: the flag or variable
}

// overrides says which key of the file each flag is.
var overrides = []struct {
	flag, path string
	set        func(f *Flags, to *config.Config)
}{
	{"listen", "listen", func(f *Flags, to *config.Config) { to.Listen = f.listen }},
	{"advertise", "advertise", func(f *Flags, to *config.Config) { to.Advertise = f.advertise }},
	{"public-url", "public_url", func(f *Flags, to *config.Config) { to.PublicURL = f.publicURL }},
	{"tls-cert", "tls.cert", func(f *Flags, to *config.Config) { to.TLS.Cert = f.cert }},
	{"tls-key", "tls.key", func(f *Flags, to *config.Config) { to.TLS.Key = f.key }},
	{"store", "store.url", func(f *Flags, to *config.Config) { to.Store.URL = f.Store }},
	{"queues", "engine.queues", func(f *Flags, to *config.Config) { to.Engine.Queues = f.queues }},
	{"allow-target", "push.allow", func(f *Flags, to *config.Config) { to.Push.Allow = f.allow }},
	{"grace", "grace", func(f *Flags, to *config.Config) { to.Grace = config.Duration(f.grace) }},
	{"log-level", "log.level", func(f *Flags, to *config.Config) { to.Log.Level = f.level }},
	{"log-format", "log.format", func(f *Flags, to *config.Config) { to.Log.Format = f.format }},
	{"log-errors", "log.errors", func(f *Flags, to *config.Config) { to.Log.Errors = f.errors }},
	{"release", "release", func(f *Flags, to *config.Config) { to.Release = f.release }},
	{"otlp-endpoint", "telemetry.endpoint", func(f *Flags, to *config.Config) { to.Telemetry.Endpoint = f.otlp }},
	{"debug-listen", "debug_listen", func(f *Flags, to *config.Config) { to.DebugListen = f.debug }},
}

// Read reads the file, if there is one, and puts flags and variables before it.
func (f *Flags) Read(flags *pflag.FlagSet) (*Settings, error) {
	file, err := config.Parse("", nil)
	if f.config != "" {
		file, err = ReadConfig(f.config)
	}
	if err != nil {
		return nil, err
	}
	s := &Settings{file, map[string]string{}}
	for _, one := range overrides {
		if flag := flags.Lookup(one.flag); flag != nil && flag.Changed {
			one.set(f, &s.Config)
			s.Overridden[one.path] = cli.SourceOf(flag)
		}
	}
	return s, nil
}

// options are those of the node.
func (s *Settings) options() []outlast.Option {
	e, kept := &s.Engine, &s.Dead
	tuning := outlast.Tuning{Slots: e.Concurrency, NearFuture: e.NearFuture, Batch: e.Batch, Horizon: time.Duration(e.Horizon)}
	if poll := time.Duration(e.Poll); poll != time.Second { // the default leaves more frequent looks to stores that tell of nothing
		tuning.Poll = poll
	}
	options := []outlast.Option{
		outlast.WithRelease(s.Release), outlast.WithPublicURL(s.PublicURL),
		outlast.WithDeadRetention(time.Duration(kept.Retention)), outlast.WithDoneRetention(time.Duration(kept.DoneRetention)),
		outlast.WithAuditRetention(time.Duration(s.Audit.Retention)),
		outlast.WithCleanup(kept.Cleanup, kept.Zone), outlast.WithStatsEvery(time.Duration(kept.StatsEvery)), outlast.WithDeadBacklog(kept.Backlog),
		outlast.WithPushTimeout(time.Duration(s.Push.Timeout)), outlast.WithMaxPushTimeout(time.Duration(s.Push.Longest)),
		outlast.WithTuning(tuning),
	}
	if s.Log.Errors {
		options = append(options, outlast.WithErrorTexts())
	}
	return options
}

// secrets are the signing secrets of file and flags, by host.
func (s *Settings) secrets(flags []string) (map[string][]byte, error) {
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
		add(cli.GroupTarget+name, group.SecretEnv)
	}
	secrets, err := readSecrets(texts)
	if err != nil && s.Path != "" {
		return nil, fmt.Errorf("%w (flag --target-secret-env, or targets and groups in %s)", err, cli.Clean(s.Path))
	}
	return secrets, err
}

// AppConfig is what the server is made of, whose version is that of the program.
func (s *Settings) AppConfig(f *Flags, version string) (app.Config, error) {
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
	keys, err := ReadKeys(&whole.Encryption)
	if err != nil {
		return app.Config{}, err
	}
	made := app.Config{
		Listen: s.Listen, Store: s.Store.URL, Openers: stores.Openers(), Queues: s.Engine.Queues, AllowTargets: ranges, TargetSecrets: secrets,
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
