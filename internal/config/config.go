package config

import (
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
)

// Duration is a duration as it is written: "1.5s", "200ms".
type Duration = retry.Duration

// Config is what a file says, completed by the defaults. The tags are what
// documentation, schema and print are made of: "default" is the value of a key
// that is left out, "all" marks the sections that hold on all nodes.
type Config struct {
	Listen      string            `json:"listen" default:"127.0.0.1:7070" doc:"Address and port of the HTTP API; port 0 for a free one. Others than loopback addresses need a token."`
	Advertise   string            `json:"advertise" doc:"Host and port at which other nodes reach this one; that which it listens on when empty."`
	PublicURL   string            `json:"public_url" doc:"Address at which people reach the console, such as https://outlast.example.com: alerts link to it. They have no links when it is empty."`
	TLS         TLS               `json:"tls" doc:"The certificate of the API."`
	Limits      Limits            `json:"limits" doc:"What callers of the API can hold of this node."`
	Store       Store             `json:"store" doc:"The database."`
	Push        Push              `json:"push" doc:"HTTP requests of tasks."`
	Engine      Engine            `json:"engine" doc:"What this node works on, and how much."`
	Dead        Dead              `json:"dead" doc:"How long ended tasks are kept."`
	Audit       Audit             `json:"audit" doc:"The log of what operators did."`
	Log         Log               `json:"log" doc:"The log, on standard error."`
	Grace       Duration          `json:"grace" default:"25s" doc:"Time that running attempts get at a stop."`
	Release     string            `json:"release" doc:"Release of this program, for people and metrics."`
	Telemetry   Telemetry         `json:"telemetry" doc:"Traces and metrics for OpenTelemetry; docs/how-to/traces.md tells what is in them."`
	DebugListen string            `json:"debug_listen" doc:"Loopback address and port of the profiler (pprof); off when empty."`
	Targets     map[string]Target `json:"targets" doc:"What tasks call, by host, or host and port."`
	Encryption  Encryption        `json:"encryption" doc:"Encryption of what tasks carry; docs/how-to/encryption.md."`

	Revision  string                    `json:"revision" all:"yes" doc:"Any text. A file whose content was in force before is applied again only at SIGHUP, or with another revision."`
	Retries   bool                      `json:"retries" all:"yes" default:"true" doc:"false turns all retries off."`
	Policies  map[string]*policy.Policy `json:"policies" all:"yes" doc:"Retry policies by name; docs/reference/policies.md has their keys."`
	Types     map[string]*policy.Type   `json:"types" all:"yes" doc:"What holds for tasks of a type that say nothing else."`
	Groups    map[string]Group          `json:"groups" all:"yes" doc:"Worker groups by name; one works without being configured."`
	Schedules map[string]*Part          `json:"schedules" all:"yes" doc:"Tasks that are enqueued again and again, by name; docs/how-to/schedules.md has the keys."`
	Alerts    Alerts                    `json:"alerts" all:"yes" doc:"Whom to tell of what; docs/how-to/alerts.md has the keys."`
	Queues    map[string]Queue          `json:"queues" all:"yes" doc:"Queues by name. A queue that is left out stays as it is."`
}

// TLS are the files of a certificate.
type TLS struct {
	Cert string `json:"cert" doc:"PEM file with the certificate, followed by those of its issuers; read again when it changes. Plain HTTP when empty."`
	Key  string `json:"key" doc:"PEM file with its private key."`
}

// Limits bound what callers of the API can hold of a node.
type Limits struct {
	Connections int `json:"connections" default:"10000" least:"1" most:"1000000" doc:"Open connections, but no more than half of the descriptors of the process. A further one takes the place of an idle one, or is closed."`
	PerAddress  int `json:"connections_per_address" least:"0" most:"1000000" doc:"Those of one address; half of connections when 0. Behind a proxy all callers have one address."`
	BodyMiB     int `json:"body_mib" default:"64" least:"16" most:"1048576" doc:"MiB of request bodies in memory at once. One token, or one address where no token is needed, gets half. What is beyond is answered with 503."`
}

// Store says where tasks are kept.
type Store struct {
	URL string `json:"url" default:"sqlite:outlast.db" doc:"sqlite:PATH, postgres://…, mysql://… or memory:."`
}

// Push is about the HTTP requests of tasks.
type Push struct {
	Allow   []string `json:"allow" doc:"Private address ranges that tasks may call, such as 10.0.0.0/8."`
	Timeout Duration `json:"timeout" default:"30s" least:"1ms" most:"24h" doc:"Time of an attempt where neither the task nor its policy sets one."`
	Longest Duration `json:"max_timeout" default:"1h" least:"1ms" most:"24h" doc:"Time of an attempt whatever the task or its policy says. A task that asks for more is refused."`
}

// Engine is the node's part of the work.
type Engine struct {
	Queues      []string `json:"queues" doc:"Queues to work on, also beside applications with the library inside; every queue that none of these works on when empty."`
	Concurrency int      `json:"concurrency" default:"1000" least:"1" most:"100000" doc:"Attempts that run at once."`
	Horizon     Duration `json:"horizon" default:"1m" least:"1s" most:"1h" doc:"How far ahead tasks are kept in memory."`
	NearFuture  int      `json:"near_future" default:"100000" least:"1000" most:"10000000" doc:"Tasks that are kept in memory at most."`
	Poll        Duration `json:"poll" default:"1s" least:"10ms" most:"1m" doc:"How often to look for tasks of which nobody told."`
	Batch       int      `json:"batch" default:"1000" least:"1" most:"1000" doc:"Tasks in one transaction at most."`
}

// Dead is about tasks that have ended.
type Dead struct {
	Retention     Duration `json:"retention" default:"720h" doc:"How long dead letters are kept."`
	DoneRetention Duration `json:"done_retention" default:"24h" doc:"How long tasks that succeeded or were canceled stay findable."`
	Cleanup       string   `json:"cleanup" default:"0 3 * * *" doc:"When old dead letters are deleted: a cron expression of five fields, or six with seconds first."`
	Zone          string   `json:"zone" default:"UTC" doc:"IANA time zone of cleanup."`
	StatsEvery    Duration `json:"stats_every" default:"5m" doc:"How often the numbers of dead letters are logged."`
	Archive       string   `json:"archive" doc:"Directory into which the cleanup writes whole letters, as NDJSON, before it deletes them; none when empty."`
	Backlog       int      `json:"backlog" default:"1" least:"1" most:"1000000000" doc:"From how many dead letters on that is a warning."`
}

// Audit is about the audit log.
type Audit struct {
	Retention Duration `json:"retention" default:"9600h" least:"24h" most:"876000h" doc:"How long its rows are kept; older ones are deleted at the times of dead.cleanup."`
}

// Log is about the log.
type Log struct {
	Level  string            `json:"level" default:"info" one:"debug,info,warn,error" doc:"What is logged."`
	Format string            `json:"format" default:"text" one:"text,json" doc:"How."`
	Errors bool              `json:"errors" doc:"Also the messages of errors, which may quote what is private."`
	Levels map[string]string `json:"levels" one:"debug,info,warn,error" doc:"Level of one package of the program, such as engine: debug."`
}

// Telemetry is where traces and metrics are sent.
type Telemetry struct {
	Endpoint string `json:"endpoint" doc:"Base URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; off when empty."`
	Sample   int    `json:"sample" default:"100" least:"0" most:"100" doc:"Share of the traces that begin here, in percent; others follow their caller, and attempts their enqueue."`
}

// Target is a host that tasks call.
type Target struct {
	Concurrency int    `json:"concurrency" least:"0" most:"1000000" doc:"Attempts that run at once, over all nodes; 0 for no limit. It holds on all nodes, without a restart."`
	SecretEnv   string `json:"secret_env" doc:"Environment variable with the secret (whsec_…) that signs requests to it."`
}

// Queue is a queue. What is left out keeps the value it has, in a new queue the
// default.
type Queue struct {
	Lanes       *int    `json:"lanes,omitempty" least:"1" most:"256" doc:"Slices of the queue; can only be raised. 8 in a new queue."`
	Policy      *string `json:"policy,omitempty" doc:"Policy of tasks for which neither they nor their type name one."`
	UnknownType *string `json:"unknown_type,omitempty" one:"park,dead" doc:"What becomes of tasks that nothing can start; park in a new queue."`
	Concurrency *int    `json:"concurrency,omitempty" least:"0" most:"1000000" doc:"Running tasks over all nodes, 0 for no limit."`
	MaxPending  *int    `json:"max_pending,omitempty" least:"0" most:"1000000000" doc:"Pending tasks beyond which enqueues are refused, 0 for no limit."`
	Weight      *int    `json:"weight,omitempty" least:"1" most:"1000" doc:"Share of a node's slots against other queues; 1 in a new queue."`
	Shares      Shares  `json:"shares,omitzero" doc:"Limits of each share key, such as a customer's."`
}

// Shares are the limits of each share key of a queue.
type Shares struct {
	Concurrency *int    `json:"concurrency,omitempty" least:"0" most:"1000000" doc:"Running tasks of each share key over all nodes, 0 for no limit."`
	Rate        *string `json:"rate,omitempty" doc:"Starts of each share key over all nodes, such as 50/s, 100/m or 1000/h; empty for no limit."`
}

// Group is a worker group: how long it waits when no member takes a task.
type Group struct {
	Dispatch    Waits    `json:"dispatch,omitzero" doc:"Waits after failed dispatches in a row."`
	Busy        Waits    `json:"busy,omitzero" doc:"The same where all members are at capacity; those of dispatch when left out."`
	Unreachable Waits    `json:"unreachable,omitzero" doc:"The same where no member answers; those of dispatch when left out."`
	Empty       Waits    `json:"empty,omitzero" doc:"The same where no member lives; those of dispatch when left out."`
	MemberTTL   Duration `json:"member_ttl,omitzero" least:"1s" most:"1h" doc:"How long a member lives without a beat; 15s when left out."`
	SecretEnv   string   `json:"secret_env,omitempty" doc:"Environment variable with the secret (whsec_…) that signs calls of its members; without it those of targets sign, by their hosts."`
}

// Waits are waits that grow; the last step goes on.
type Waits struct {
	Steps []Duration `json:"steps,omitempty" least:"1ms" most:"24h" doc:"1s, 5s, 10s, 60s when left out."`
	Max   Duration   `json:"max,omitzero" least:"1ms" most:"24h" doc:"Bounds the steps and what the group asks for; 300s when left out."`
}

// Alerts are channels and rules.
type Alerts struct {
	Channels map[string]*Part `json:"channels" doc:"Who can be told, by name."`
	Rules    []*Part          `json:"rules" doc:"When to tell whom; each has a name."`
}

// MaxFile bounds the size of a file, in bytes.
const MaxFile = 1 << 20

// Default is the configuration of an empty file.
func Default() *Config {
	c, _ := Parse("", nil) // an empty file is a good one
	return &c.Config
}

// EndpointHint says how to write telemetry.endpoint.
const EndpointHint = "write it as http://127.0.0.1:4318; credentials go into the variable OTEL_EXPORTER_OTLP_HEADERS"
