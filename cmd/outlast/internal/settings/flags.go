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
	level, format          string
	errors                 bool
	release, debug, otlp   string
	allow, secrets, queues []string
	grace                  time.Duration
	keys                   keyFlags
}

// Add defines the flags.
func (f *Flags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.config, "config", "", "configuration file (YAML); flags and environment variables go before it; env OUTLAST_CONFIG")
	flags.StringVar(&f.listen, "listen", app.DefaultListen, "address and port, port 0 for a free one; others than loopback addresses need a token; env OUTLAST_LISTEN")
	flags.StringVar(&f.advertise, "advertise", "", "host and port at which other nodes reach this one, if that is not what it listens on; env OUTLAST_ADVERTISE")
	flags.StringVar(&f.cert, "tls-cert", "", "PEM file with the certificate of the API and those of its issuers; read again when it changes; env OUTLAST_TLS_CERT")
	flags.StringVar(&f.key, "tls-key", "", "PEM file with its private key; env OUTLAST_TLS_KEY")
	flags.StringVar(&f.Store, "store", app.DefaultStore, stores.Forms()+", or memory: (nothing on disk); env OUTLAST_STORE")
	flags.StringSliceVar(&f.queues, "queues", nil, "queues to work on, also beside applications with the library inside (repeatable); every queue that none of these works on when absent; env OUTLAST_QUEUES")
	flags.StringSliceVar(&f.allow, "allow-target", nil, "private address range that tasks may call, such as 10.0.0.0/8 (repeatable); env OUTLAST_ALLOW_TARGET")
	flags.StringSliceVar(&f.secrets, "target-secret-env", nil, "HOST[:PORT]=VARIABLE or group:NAME=VARIABLE: sign requests to the host, or to members of the worker group, with the secret in this environment variable (repeatable); env OUTLAST_TARGET_SECRET_ENV")
	flags.DurationVar(&f.grace, "grace", app.DefaultGrace, "time that running attempts get at a stop; env OUTLAST_GRACE")
	flags.StringVar(&f.level, "log-level", "info", "debug, info, warn or error; env OUTLAST_LOG_LEVEL")
	flags.StringVar(&f.format, "log-format", "text", "text or json; env OUTLAST_LOG_FORMAT")
	flags.BoolVar(&f.errors, "log-errors", false, "log the messages of errors too, which may quote what is private; env OUTLAST_LOG_ERRORS")
	flags.StringVar(&f.release, "release", "", "release of this program, for people and metrics; env OUTLAST_RELEASE")
	flags.StringVar(&f.otlp, "otlp-endpoint", "", "base URL of a collector for traces and metrics (OTLP over HTTP), such as http://127.0.0.1:4318; off when absent; env OTEL_EXPORTER_OTLP_ENDPOINT")
	flags.StringVar(&f.debug, "debug-listen", "", "loopback address and port of the profiler (pprof), such as 127.0.0.1:6060; off when absent; env OUTLAST_DEBUG_LISTEN")
	f.keys.add(flags)
}
