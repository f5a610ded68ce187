package archtest

// rule says what a package is for and what of this module it may import
// outside its tests. A path ending in "/*" holds for all folders directly
// below that have no rule of their own.
type rule struct {
	path    string
	is      string
	imports []arrow
	stdOnly bool // nothing from outside this module and the standard library
}

// arrow is one allowed import and its reason. The path "..." stands for every
// package that is no program, example or test package.
type arrow struct{ to, why string }

// rules go from the bottom up: a package imports packages above it in this
// list, never below.
var rules = []rule{
	{path: "internal/hints", is: "what to do about wrong fields", stdOnly: true},
	{path: "internal/strictjson", is: "JSON, with all that is wrong with it", stdOnly: true, imports: []arrow{
		{"internal/hints", "nearest names"},
	}},
	{path: "retry", is: "in-process core", stdOnly: true, imports: []arrow{
		{"internal/hints", "nearest names"},
		{"internal/strictjson", "policies as people write them"},
	}},
	{path: "internal/targetname", is: "the name of what requests call", stdOnly: true},
	{path: "retry/retryhttp", is: "RoundTripper and server middleware", stdOnly: true, imports: []arrow{
		{"retry", "the policy it applies"},
		{"internal/targetname", "the same names as durable tasks"},
	}},
	{path: "retry/internal/wholetx", is: "what the end of a transaction means", stdOnly: true, imports: []arrow{
		{"retry", "verdicts"},
	}},
	{path: "retry/retrysql", is: "whole transactions of database/sql", stdOnly: true, imports: []arrow{
		{"retry", "the policy it applies"},
		{"retry/internal/wholetx", "what the end of a transaction means"},
	}},
	{path: "retry/retrypgx", is: "whole transactions of pgx", imports: []arrow{
		{"retry", "the policy it applies"},
		{"retry/internal/wholetx", "what the end of a transaction means"},
	}},
	{path: "retry/internal/label", is: "words of the observers", stdOnly: true, imports: []arrow{
		{"retry", "the events that are named"},
	}},
	{path: "retry/retryprom", is: "observer for Prometheus", imports: []arrow{
		{"retry", "the events that are counted"},
		{"retry/retryhttp", "the requests that a server counts"},
		{"retry/internal/label", "the same words as every observer"},
	}},
	{path: "retry/retryotel", is: "observer for OpenTelemetry", imports: []arrow{
		{"retry", "the events that are counted"},
		{"retry/retryhttp", "the requests that a server counts"},
		{"retry/internal/label", "the same words as every observer"},
	}},
	{path: "retry/*", is: "interceptors and classifiers that need a library's types", imports: []arrow{
		{"retry", "the categories they map to, the policy they apply"},
	}},
	{path: "internal/background", is: "what housekeeping is started and stopped by", stdOnly: true},
	{path: "internal/buckets", is: "attempts counted, by name and by the size of their times", stdOnly: true},
	{path: "internal/intake", is: "bounds of connections and bodies", stdOnly: true},
	{path: "internal/chart", is: "line charts as SVG", stdOnly: true},
	{path: "plan", is: "planner: pure functions over a policy", stdOnly: true, imports: []arrow{
		{"retry", "the policy that is planned"},
		{"internal/chart", "the plots of a plan"},
	}},
	{path: "task", is: "nouns and the state machine, pure", stdOnly: true, imports: []arrow{
		{"retry", "categories and verdicts of a failed attempt"},
	}},
	{path: "safehttp", is: "the guarded dialer of every outbound request", stdOnly: true, imports: []arrow{
		{"task", "Quote, the one way to show text from outside"},
		{"retry", "the category of a refused or failed dial"},
	}},
	{path: "store", is: "what the engine needs of a database", stdOnly: true, imports: []arrow{
		{"task", "the nouns that are stored"},
		{"retry", "categories in filters and counters"},
	}},
	{path: "store/internal/*", is: "what several stores share", imports: []arrow{
		{"store", "the contract"},
		{"store/internal/*", "they build upon each other"},
		{"task", "the nouns that are stored"},
		{"retry", "categories as columns"},
	}},
	{path: "store/*", is: "one database each, and wrappers", imports: []arrow{
		{"store", "the contract"},
		{"store/internal/*", "what several stores share"},
		{"task", "the nouns that are stored"},
		{"retry", "categories as columns"},
	}},
	{path: "store/storetest", is: "conformance suite", imports: []arrow{
		{"store", "the contract it checks"},
		{"task", "the nouns that are stored"},
		{"retry", "categories that must come back"},
	}},
	{path: "internal/actor", is: "who acts, for the audit log", stdOnly: true, imports: []arrow{
		{"store", "rows of the audit log"},
	}},
	{path: "internal/reach", is: "what a node may call and sign, as nodes tell each other", stdOnly: true},
	{path: "internal/heap", is: "a heap whose items know their place", stdOnly: true},
	{path: "internal/agenda/guard", is: "what protects targets; pure", stdOnly: true, imports: []arrow{
		{"internal/heap", "which target is to be asked next"},
		{"task", "words for why one waits"},
		{"store", "targets and orders as plain values; it calls no store"},
		{"retry", "budgets, breakers and limits before a claim"},
	}},
	{path: "internal/agenda", is: "what may start next, and when; pure", stdOnly: true, imports: []arrow{
		{"internal/agenda/guard", "what protects targets"},
		{"internal/heap", "what is next, of entries and streams"},
		{"store", "rows, marks and ranges as plain values; it calls no store"},
		{"task", "ids, named targets"},
		{"retry", "policies, random numbers"},
	}},
	{path: "internal/topology", is: "what follows from queues, lanes and living nodes; pure", stdOnly: true, imports: []arrow{
		{"internal/agenda", "capabilities, and that a node has no part of a limit"},
		{"internal/agenda/guard", "a node's place among others, as guards are told it"},
		{"store", "queues, lanes and nodes as plain values; it calls no store"},
	}},
	{path: "internal/membership", is: "a node among others: liveness, lanes, hand-over, wake-ups", stdOnly: true, imports: []arrow{
		{"internal/background", "waits that end with a context"},
		{"internal/topology", "what a node should do"},
		{"store", "the contract; never an implementation"},
		{"task", "ids of tasks to cancel"},
	}},
	{path: "internal/lease", is: "remote workers, their polls and leases", stdOnly: true, imports: []arrow{
		{"internal/agenda", "which capability is a request; who takes entries"},
		{"store", "how attempts ended"},
		{"task", "the tasks that are leased"},
	}},
	{path: "engine", is: "timers, claim, run, settle", stdOnly: true, imports: []arrow{
		{"internal/background", "waits that end with a context"},
		{"internal/agenda/guard", "what attempts say of targets"},
		{"internal/agenda", "what may start next, and when"},
		{"internal/topology", "who can start what"},
		{"internal/membership", "which lanes it works in"},
		{"internal/lease", "who else runs tasks on its behalf"},
		{"store", "the contract; never an implementation"},
		{"task", "nouns and transitions"},
		{"retry", "verdicts, budgets and breakers before a claim"},
	}},
	{path: "internal/wakeup", is: "the call that wakes another node", stdOnly: true, imports: []arrow{
		{"safehttp", "outbound requests"},
		{"store", "nodes and their addresses"},
	}},
	{path: "sim", is: "storm simulator", stdOnly: true, imports: []arrow{
		{"retry", "the code that is simulated"},
		{"internal/agenda", "the code that is simulated, of tasks"},
		{"internal/agenda/guard", "what it hears of attempts and of other nodes"},
		{"store", "rows of tasks"},
		{"task", "their ids"},
		{"internal/targetname", "the same names as durable tasks"},
		{"internal/chart", "pictures of storms"},
	}},

	{path: "internal/expr", is: "conditions in CEL, bounded", imports: []arrow{
		{"internal/hints", "nearest names"},
		{"retry", "the error of a field"},
		{"task", "Quote, and how long texts of errors are"},
	}},

	// Between engine and root: one folder per noun.
	{path: "internal/operation", is: "long operations, which outlive their nodes", stdOnly: true, imports: []arrow{
		{"internal/background", "waits between steps"},
		{"store", "operations are rows"},
		{"task", "named errors"},
	}},
	{path: "token", is: "who may call the API", stdOnly: true, imports: []arrow{
		{"store", "tokens are objects in it"},
		{"task", "Quote, named errors"},
	}},
	{path: "internal/findings", is: "all that is wrong with a document", stdOnly: true, imports: []arrow{
		{"internal/hints", "nearest names"},
		{"internal/strictjson", "documents of one JSON object"},
		{"retry", "the error of a field"},
	}},
	{path: "alert", is: "rules, cool-down, delivery", imports: []arrow{
		{"internal/background", "loops of the keeper"},
		{"internal/buckets", "times of attempts"},
		{"internal/hints", "nearest names"},
		{"internal/findings", "rules as people write them"},
		{"internal/strictjson", "what a null means"},
		{"internal/expr", "conditions"},
		{"task", "the subject of an alert"},
		{"store", "deliveries and held-back alerts"},
		{"retry", "repeats of a delivery"},
		{"engine", "events come from its observer"},
		{"safehttp", "outbound requests"},
	}},
	{path: "schedule", is: "cron and interval rules", imports: []arrow{
		{"internal/background", "loops of the keeper"},
		{"internal/findings", "schedules as people write them"},
		{"internal/strictjson", "what a null means"},
		{"internal/hints", "nearest names"},
		{"task", "what a tick enqueues"},
		{"store", "ticks are compare-and-set rows"},
		{"retry", "its own waits after a failed tick"},
		{"engine", "wakes the owner after a tick"},
	}},
	{path: "bulk", is: "actions on many tasks", imports: []arrow{
		{"internal/background", "the loop of the runner"},
		{"internal/operation", "operations outlive their nodes"},
		{"task", "what is acted on"},
		{"store", "tasks and operations"},
	}},
	{path: "dead", is: "dead letters, redrive, retention", imports: []arrow{
		{"internal/background", "loops of the keeper"},
		{"internal/operation", "operations outlive their nodes"},
		{"task", "letters are tasks"},
		{"store", "letters and operations"},
		{"retry", "pacing and stopping of a redrive"},
		{"engine", "wakes the owner after a redrive"},
		{"schedule", "when the cleanup runs"},
	}},
	{path: "alert/*", is: "one channel each", imports: []arrow{
		{"internal/findings", "channels as people write them"},
		{"internal/strictjson", "what a null means"},
		{"alert", "the interface of a channel"},
		{"safehttp", "outbound requests"},
		{"retry", "the category of a failed delivery"},
		{"task", "the subject of an alert"},
	}},
	{path: "group", is: "worker groups", imports: []arrow{
		{"task", "what is dispatched"},
		{"store", "members are rows"},
		{"retry", "steps between dispatches"},
		{"engine", "its dispatch interface"},
		{"safehttp", "outbound requests"},
	}},
	{path: "push", is: "HTTP push", imports: []arrow{
		{"internal/expr", "what a receiver's answer must fulfil"},
		{"task", "what is pushed"},
		{"store", "targets and their settings"},
		{"retry", "classification of failures"},
		{"retry/retryhttp", "classification of the answer"},
		{"engine", "its handler interface"},
		{"safehttp", "outbound requests"},
		{"group", "the member that a task goes to"},
	}},
	{path: "policy", is: "named policies and queues", imports: []arrow{
		{"internal/findings", "types and fallbacks as people write them"},
		{"internal/strictjson", "what a null means"},
		{"internal/expr", "conditions"},
		{"retry", "what a policy compiles to"},
		{"plan", "previews and warnings before a policy is saved"},
		{"task", "names and limits of tasks"},
		{"store", "versions are kept in it"},
		{"engine", "implements the engine's view of policies"},
		{"alert", "the alert of a policy"},
		{"push", "the condition of a fallback's target"},
		{"safehttp", "the rest of that target"},
	}},

	{path: "stats", is: "how attempts went under each release and policy version", imports: []arrow{
		{"internal/background", "loops of the keeper"},
		{"internal/buckets", "times of attempts"},
		{"store", "counts are objects"},
		{"task", "named errors"},
	}},
	{path: "feed", is: "what happens on a node, as it happens", stdOnly: true, imports: []arrow{
		{"task", "states and ids"},
	}},
	{path: "internal/accept", is: "what is wrong with what callers hand in, and the place of what is accepted", imports: []arrow{
		{"internal/hints", "what to do about wrong fields"},
		{"internal/targetname", "names of targets"},
		{"task", "names and limits of tasks"},
		{"store", "lanes of queues, as plain values; it calls no store"},
		{"retry", "presets and findings"},
		{"policy", "names of policies that were put"},
		{"alert", "alerts of tasks"},
		{"push", "what a receiver's answer must fulfil"},
		{"safehttp", "requests and addresses"},
	}},
	{path: "internal/tracing", is: "OpenTelemetry spans of enqueues and attempts", imports: []arrow{
		{"retry", "the policy that decided"},
		{"task", "what a span is about"},
		{"store", "how an attempt has ended"},
		{"engine", "attempts that begin"},
	}},

	{path: "inspect", is: "what is there, and what people change of it: a type per noun", imports: []arrow{
		{"engine", "what a node has in memory, as plain values"},
		{"internal/agenda", "why a task waits: the rules and their order"},
		{"internal/agenda/guard", "what of a target holds a task"},
		{"internal/topology", "who lives, who owns a lane, who can start what"},
		{"internal/accept", "what is wrong with what people ask for"},
		{"internal/actor", "who asks"},
		{"internal/reach", "what nodes may call"},
		{"stats", "releases and policy versions compared"},
		{"feed", "words for what was done with a task"},
		{"store", "what is there"},
		{"store/sealed", "how it is encrypted"},
		{"task", "nouns it shows"},
		{"retry", "policies"},
		{"policy", "named policies"},
		{"bulk", "actions on many tasks"},
		{"dead", "dead letters"},
		{"schedule", "schedules"},
		{"alert", "alerts"},
		{"alert/channel", "channels of alerts"},
		{"safehttp", "addresses that may not be called"},
		{"token", "tokens of the API"},
	}},
	{path: "", is: "public API of the durable engine", imports: []arrow{
		{"engine", "what it opens"},
		{"inspect", "what it hands to people"},
		{"internal/accept", "what is wrong with a draft, and its place"},
		{"internal/actor", "who acts"},
		{"internal/reach", "what other nodes may call"},
		{"internal/tracing", "spans, for who brings a provider"},
		{"stats", "releases and policy versions compared"},
		{"feed", "what happens, for those who listen"},
		{"internal/hints", "what to do about wrong fields"},
		{"store", "the store it is given; implementations are the caller's choice"},
		{"store/sealed", "encryption between the engine and any store"},
		{"task", "nouns it shows"},
		{"retry", "policies"},
		{"plan", "previews"},
		{"policy", "named policies"},
		{"bulk", "actions on many tasks"},
		{"dead", "dead letters"},
		{"schedule", "schedules"},
		{"alert", "alerts"},
		{"alert/channel", "how messages travel"},
		{"push", "HTTP push"},
		{"group", "worker groups"},
		{"safehttp", "outbound requests"},
		{"internal/targetname", "names of targets"},
		{"internal/wakeup", "wake-ups of other nodes"},
		{"token", "tokens of the API"},
	}},
	{path: "pgxtx", is: "enqueue in the caller's pgx transaction", imports: []arrow{
		{"", "the client it extends"},
		{"store", "the optional interface"},
		{"store/postgres", "the statement"},
		{"task", "nouns"},
	}},
	{path: "client", is: "Go client for HTTP API and remote workers", stdOnly: true, imports: []arrow{
		{"task", "nouns and error codes"},
		{"retry", "its own repeats"},
		{"plan", "the answer of POST /v1/policies/plan"},
		{"internal/hints", "what to do about wrong fields"},
	}},
	{path: "console", is: "web console; talks only to the HTTP API"},
	{path: "server", is: "HTTP API over the root package", imports: []arrow{
		{"", "a node and what it accepts"},
		{"inspect", "what it shows and changes"},
		{"stats", "releases and policy versions compared"},
		{"feed", "what GET /v1/events tells"},
		{"client", "the JSON of the API is defined once, there"},
		{"internal/hints", "what to do about wrong fields"},
		{"internal/strictjson", "bodies and parameters"},
		{"internal/intake", "bounds of connections and bodies"},
		{"task", "nouns"},
		{"store", "filters, pages, named errors"},
		{"store/sealed", "how the keys of a node stand to its store"},
		{"retry", "policies, its own throttle"},
		{"plan", "POST /v1/policies/plan"},
		{"sim", "POST /v1/sim/run"},
		{"policy", "policies and queues"},
		{"bulk", "actions on many tasks"},
		{"dead", "dead letters"},
		{"schedule", "schedules"},
		{"alert", "alerts"},
		{"alert/channel", "channels of alerts"},
		{"push", "targets"},
		{"group", "worker groups"},
		{"engine", "what remote workers ask for, and say"},
		{"safehttp", "outbound requests"},
		{"internal/wakeup", "the form of the call of other nodes"},
		{"token", "who may call what"},
	}},
	{path: "internal/config", is: "the configuration file", imports: []arrow{
		{"internal/hints", "nearest names"},
		{"internal/strictjson", "fills the configuration"},
		{"internal/findings", "what types say of texts"},
		{"policy", "policies and types in it"},
		{"retry", "durations and findings"},
		{"task", "Quote, named errors"},
		{"store", "what holds on all nodes is kept there"},
		{"store/sealed", "names of encryption keys"},
		{"dead", "checks of retention and cleanup"},
		{"schedule", "schedules in it"},
		{"alert", "rules in it"},
		{"alert/channel", "channels in it"},
		{"group", "worker groups in it"},
	}},
	{path: "internal/app", is: "composition root", imports: []arrow{
		{"...", "it puts everything together"},
	}},

	// Programs.
	{path: "cmd/outlast/internal/cli", is: "what all commands share", imports: []arrow{
		{"client", "calls the server"},
		{"internal/hints", "nearest names of commands and flags"},
		{"task", "ids, named errors"},
		{"internal/config", "problems of a file, one a line"},
		{"store", "the error of a missing right has an exit code"},
		{"alert", "spans as people write them"},
		{"plan", "waits as people write them"},
	}},
	{path: "cmd/outlast/internal/stores", is: "opens stores by URL", imports: []arrow{
		{"cmd/outlast/internal/cli", "errors of usage"},
		{"...", "every store, and what a server opens it with"},
	}},
	{path: "cmd/outlast/internal/settings", is: "the configuration of a server", imports: []arrow{
		{"cmd/outlast/internal/cli", "errors of usage, where the value of a flag comes from"},
		{"cmd/outlast/internal/stores", "what a server opens stores with"},
		{"...", "what can be set"},
	}},
	{path: "cmd/outlast/internal/taskview", is: "tasks and attempts for people", imports: []arrow{
		{"cmd/outlast/internal/cli", "tables and JSON"},
		{"client", "what is shown"},
		{"stats", "names of policy versions"},
	}},
	{path: "cmd/outlast/internal/filecheck", is: "what was found in a file", imports: []arrow{
		{"cmd/outlast/internal/cli", "messages and JSON"},
		{"internal/config", "problems of a file"},
		{"plan", "warnings about a policy"},
		{"retry", "the policy"},
	}},
	{path: "cmd/outlast/internal/*", is: "commands of one noun, which know no other noun", imports: []arrow{
		{"cmd/outlast/internal/cli", "what all commands share"},
		{"cmd/outlast/internal/stores", "commands that work on a store itself"},
		{"cmd/outlast/internal/settings", "commands about the configuration of a server"},
		{"cmd/outlast/internal/taskview", "commands that answer with tasks"},
		{"cmd/outlast/internal/filecheck", "commands that check a file"},
		{"...", "what they show"},
	}},
	{path: "cmd/*", is: "programs", imports: []arrow{
		{"...", "what they put together"},
	}},
	{path: "examples", is: "whole programs", imports: []arrow{{"...", "they show the public packages"}}},
	{path: "examples/*", is: "whole programs", imports: []arrow{{"...", "they show the public packages"}}},

	// Tests of everything.
	{path: "internal/archtest", is: "tests of the source tree"},
	{path: "internal/badinput", is: "hostile input through every door", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/secrettest", is: "secrets planted everywhere, and looked for in all that is written"},
	{path: "internal/binarytest", is: "the real program in a process of its own", imports: []arrow{
		{"client", "tests talk to it as its users do"},
	}},
	{path: "internal/incidenttest", is: "the incidents that Outlast is made for", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/faulttest", is: "kill campaigns and planted defects", imports: []arrow{
		{"...", "it runs everything"},
		{"store/storetest", "invariants of a store after a fault"},
	}},
	{path: "internal/racetest", is: "whether the race detector watches a test"},
	{path: "internal/servers", is: "database servers that belong to a process", stdOnly: true},
	{path: "internal/servers/with", is: "a command beside database servers", stdOnly: true, imports: []arrow{
		{"internal/servers", "starts the servers"},
	}},
	{path: "internal/failovertest", is: "a primary that is lost under load"},
	{path: "internal/historytest", is: "what clients of a store saw, against the state machine", imports: []arrow{
		{"store", "the contract that is checked"},
		{"task", "the state machine"},
	}},
	{path: "internal/lanemodel", is: "the claim protocol against a database of a few rows", stdOnly: true},
	{path: "internal/worldtest", is: "fleets of engines in virtual time", imports: []arrow{
		{"engine", "what lives in it"},
		{"internal/historytest", "what engines were told, against the state machine"},
		{"retry", "policies of its tasks"},
		{"store", "the seam at which it cuts engines off"},
		{"store/faulty", "calls that go wrong"},
		{"store/memory", "the store of all of them"},
		{"store/storetest", "invariants of the store"},
		{"task", "what it sends"},
	}},
	{path: "internal/planttest", is: "defects in the source of a package, for tests that must find them", stdOnly: true},
	{path: "internal/servertest", is: "a database of its own for every test", imports: []arrow{
		{"internal/servers", "starts the servers"},
	}},
	{path: "internal/txtest", is: "an application with tables of its own on every database", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/stormtest", is: "outages of a real server under load", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/openapi", is: "prints the document of the API", imports: []arrow{
		{"", "a client for the server"},
		{"server", "whose document it is"},
		{"store/memory", "the client's store"},
	}},
	{path: "internal/cost", is: "runs one task, for make cost", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/tools", is: "programs that generate and check"},
	{path: "internal/tools/*", is: "programs that generate and check"},
}

// foreign says where a library that must not reach users may be imported
// outside tests. Prefixes of import paths; the longest one decides.
var foreign = []struct {
	prefix string
	rule   string
	in     []arrow
}{
	{"testing", "it reaches users, and registers flags; only tests and packages named *test import it", nil},
	{"net/http/httptest", "it is for tests", nil},
	{"github.com/stretchr/testify", "tests use the standard library", nil},
	{"github.com/google/go-cmp", "it is for tests", nil},
	{"go.uber.org/goleak", "it is for tests", nil},
	{"pgregory.net/rapid", "it is for tests", nil},
	{"github.com/anishathalye/porcupine", "it is for tests", nil},

	{"os/exec", "a server starts no processes", []arrow{{"cmd/*", "programs may"}, {"examples/*", "programs may"}, {"internal/tools", "it runs the go command"}, {"internal/servers", "it starts database servers, for tests and benchmarks"}, {"internal/servers/with", "it runs a command beside them"}, {"internal/binarytest", "it starts the program, for tests"}}},
	{"google.golang.org/grpc", "gRPC must not reach users who do not ask for it", []arrow{{"retry/retrygrpc", "it is about gRPC"}}},
	{"go.opentelemetry.io/otel", "the API is for adapters, the SDK for programs", []arrow{
		{"retry/retryotel", "it is about OpenTelemetry"}, {"internal/tracing", "it is about OpenTelemetry"},
		{"", "WithTracerProvider takes the API's type"}, {"internal/app", "the server exports"},
	}},
	{"go.opentelemetry.io/otel/sdk", "the SDK is for programs", []arrow{{"internal/app", "the server exports"}}},
	{"go.opentelemetry.io/otel/exporters", "exporters are for programs", []arrow{{"internal/app", "the server exports"}}},
	{"go.opentelemetry.io/contrib", "it brings the SDK", []arrow{{"internal/app", "the server exports"}}},
	{"go.yaml.in/yaml", "the library takes values, not files", []arrow{{"internal/config", "the configuration file"}}},
	{"github.com/spf13/cobra", "only programs have a command line", []arrow{{"cmd/*", "the command line"}}},

	{"github.com/ncruces/go-sqlite3", "only programs and tests import SQL drivers; take a *sql.DB", []arrow{
		{"store/sqlite", "error codes and connection hooks; the driver itself is registered by cmd"},
		{"cmd/outlast/internal/stores", "registers the driver"}, {"cmd/outlast/internal/doctor", "error codes of a file"}, {"examples/*", "register the driver"},
	}},
	{"github.com/ncruces/go-sqlite3/driver", "only programs and tests import SQL drivers; take a *sql.DB", append([]arrow{
		{"internal/cost", "registers the driver"},
	}, drivers...)},
	{"github.com/ncruces/go-sqlite3/embed", "only programs and tests import SQL drivers; take a *sql.DB", drivers},
	{"github.com/go-sql-driver/mysql", "only programs and tests import SQL drivers; take a *sql.DB", append([]arrow{
		{"retry/retrymysql", "the type of MySQL's errors"},
	}, drivers...)},
	{"github.com/jackc/pgx", "root and engine import no driver", append([]arrow{
		{"store/postgres", "COPY, LISTEN, batches and typed errors are not in database/sql"},
		{"pgxtx", "the caller's pgx transaction"},
		{"retry/retrypgx", "the type of PostgreSQL's errors"},
	}, drivers...)},
	{"github.com/jackc/pgx/v5/stdlib", "only programs and tests import SQL drivers; take a pool", drivers},
	{"github.com/lib/pq", "the PostgreSQL driver is pgx", nil},
	{"github.com/mattn/go-sqlite3", "it needs cgo; the SQLite driver is ncruces/go-sqlite3", nil},
	{"modernc.org/sqlite", "the SQLite driver is ncruces/go-sqlite3", nil},
}

var drivers = []arrow{
	{"cmd/outlast/internal/stores", "registers the driver"}, {"cmd/outlast/internal/doctor", "asks the server itself"}, {"examples/*", "register the driver"},
}

// unreachable lists what a package must not reach even by detours.
var unreachable = []struct{ from, to, why string }{
	{"client", "engine", "a client must not carry the engine"},
	{"client", "store", "a client must not carry the store"},
	{"engine", "", "the root package stands above the engine"},
	{"inspect", "", "an inspector knows its node by what it was made of"},
	{"internal/agenda", "engine", "the agenda knows nothing of who drives it"},
	{"internal/membership", "engine", "a member knows its host by an interface of its own"},
	{"internal/lease", "engine", "a keeper of leases knows attempts by an interface of its own"},
	{"internal/agenda/guard", "internal/agenda", "guards know targets, and nothing of entries, queues and lanes"},
	{"engine", "policy", "the engine sees policies through an interface of its own"},
	{"store/*", "engine", "a store knows nothing of who uses it"},
	{"", "server", "a library user must not carry the server"},
	{"", "console", "a library user must not carry the console"},
	{"", "store/sqlite", "the caller chooses the store"},
	{"", "store/postgres", "the caller chooses the store"},
	{"", "store/mysql", "the caller chooses the store"},
	{"server", "internal/app", "the composition root stands above"},
}

// longFunctions may have more lines than the budget, for the reason given.
// Key: folder.Function or folder.Type.Method; the root package's folder is
// "outlast".
var longFunctions = map[string]string{}

// interfaceBudgets bound what an implementation must provide.
var interfaceBudgets = []struct {
	pkg, name string
	methods   int
}{
	{"store", "Store", 15},
	{"store", "Query", 12},
	{"store", "Admin", 12},
	{"store", "Config", 12},
}
