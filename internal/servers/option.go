//go:build unix

package servers

import "strings"

// Option changes how a server is set up.
type Option func(*options)

type options struct {
	durable  bool
	programs string   // folder, "" to look for them
	settings []string // name=value
}

// Durable keeps the server's own defaults: every commit is on disk before it is
// answered (PostgreSQL, MariaDB); the append-only file is synced every second
// (Redis).
func Durable() Option { return func(o *options) { o.durable = true } }

// Fast is the default, and the opposite of [Durable]: commits are handed to the
// operating system and not synced, so they survive the end of the server's process,
// but not a power cut. Redis keeps nothing.
func Fast() Option { return func(o *options) { o.durable = false } }

// With adds settings in the form name=value, such as shared_buffers=256MB
// (PostgreSQL), innodb_buffer_pool_size=256M (MariaDB), appendfsync=always (Redis).
// They override those of [Fast] and [Durable], later ones earlier ones.
func With(settings ...string) Option {
	return func(o *options) { o.settings = append(o.settings, settings...) }
}

// Programs takes the programs of PostgreSQL from a folder, such as pg_config --bindir
// prints, instead of those of the newest version that is found.
func Programs(folder string) Option { return func(o *options) { o.programs = folder } }

func gather(list []Option) options {
	var o options
	for _, option := range list {
		option(&o)
	}
	return o
}

// each calls do with every setting in the order in which they count.
func each(settings []string, do func(name, value string)) {
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		do(name, value)
	}
}
