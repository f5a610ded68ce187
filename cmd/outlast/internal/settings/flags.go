package settings

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/internal/app"
)

// Flags are what the command line says of the configuration of a server.
type Flags struct {
	Store                  string // URL
	config, listen         string
	advertise, cert, key   string
	publicURL              string
	level, format          string
	errors                 bool
	release, debug, otlp   string
	allow, secrets, queues []string
	grace                  time.Duration
	keys                   keyFlags
}

// Add defines the flags.
func (f *Flags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.config, "config", "", "configuration file (YAML); flags and environment variables override it; env OUTLAST_CONFIG")
	flags.StringVar(&f.listen, "listen", app.DefaultListen, "address and port to listen on; port 0 picks a free one; other than loopback addresses need a token; env OUTLAST_LISTEN")
	flags.StringVar(&f.advertise, "advertise", "", "host and port at which other nodes reach this one, if different from --listen; env OUTLAST_ADVERTISE")
	flags.StringVar(&f.publicURL, "public-url", "", "address at which people reach the console, such as https://outlast.example.com; alerts link to it; env OUTLAST_PUBLIC_URL")
	flags.StringVar(&f.cert, "tls-cert", "", "PEM file with the certificate of the API and its intermediates; reloaded when it changes; env OUTLAST_TLS_CERT")
	flags.StringVar(&f.key, "tls-key", "", "PEM file with the private key of the certificate; env OUTLAST_TLS_KEY")
	flags.StringVar(&f.Store, "store", app.DefaultStore, stores.Forms()+", or memory: to keep nothing on disk; env OUTLAST_STORE")
	flags.StringSliceVar(&f.queues, "queues", nil, "queues to work on, also those of applications with the library inside (repeatable); default is every queue that no such application serves; env OUTLAST_QUEUES")
	flags.StringSliceVar(&f.allow, "allow-target", nil, "private address range that tasks may call, such as 10.0.0.0/8 (repeatable); env OUTLAST_ALLOW_TARGET")
	flags.StringSliceVar(&f.secrets, "target-secret-env", nil, "HOST[:PORT]=VARIABLE or group:NAME=VARIABLE: sign requests to the host, or to members of the worker group, with the secret in this environment variable (repeatable); env OUTLAST_TARGET_SECRET_ENV")
	flags.DurationVar(&f.grace, "grace", app.DefaultGrace, "time for running attempts to end when the server stops; env OUTLAST_GRACE")
	flags.StringVar(&f.level, "log-level", "info", "debug, info, warn or error; env OUTLAST_LOG_LEVEL")
	flags.StringVar(&f.format, "log-format", "text", "text or json; env OUTLAST_LOG_FORMAT")
	flags.BoolVar(&f.errors, "log-errors", false, "also log error messages, which may contain private data; env OUTLAST_LOG_ERRORS")
	flags.StringVar(&f.release, "release", "", "release name shown for this node and in metrics; env OUTLAST_RELEASE")
	flags.StringVar(&f.otlp, "otlp-endpoint", "", "base URL of a collector for traces and metrics (OTLP over HTTP), such as http://127.0.0.1:4318; off by default; env OTEL_EXPORTER_OTLP_ENDPOINT")
	flags.StringVar(&f.debug, "debug-listen", "", "loopback address and port of the profiler (pprof), such as 127.0.0.1:6060; off by default; env OUTLAST_DEBUG_LISTEN")
	f.keys.add(flags)
}
