package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/token"
)

// Config is what a server is made of.
type Config struct {
	// Client does everything; required. It need not have started.
	Client *outlast.Client
	// Store says what kind of store there is, for /readyz?verbose; no secrets.
	Store string
	// Version of the program, for the OpenAPI document.
	Version string
	// Registry collects and shows the metrics; a new one when nil.
	Registry *prometheus.Registry
	// Logger takes what callers must not see; silent when nil.
	Logger *slog.Logger
	// Configuration tells what became of the configuration file, and whether all is
	// well with it, for /readyz?verbose; nil without a file.
	Configuration func() (detail string, well bool)
	// Files names the files with secrets that others of the machine can get at, for
	// /readyz?verbose; nil for none.
	Files func() []string
	// Exposed says that others than this machine can reach the server: every
	// request needs a token then, also while there is none. Requests for any host
	// are answered.
	Exposed bool
	// Hosts are names that the server answers to beside loopback ones,
	// without port.
	Hosts []string
	// Limits bound what callers can hold of the node.
	Limits Limits
	// Console answers GET / and what is below /console/, without a token; nothing
	// is there when nil.
	Console http.Handler
}

// Server is the HTTP API as an [http.Handler]. Make it with [New]; it is safe
// for concurrent use and owns no goroutines.
type Server struct {
	client  *outlast.Client
	inspect *inspect.Inspector
	log     *slog.Logger
	mux     *http.ServeMux
	hosts   []string
	store   string
	file    func() (detail string, well bool)
	files   func() []string
	api     *huma.OpenAPI
	meter   *meter

	connections *intake.Connections
	bodies      *intake.Bytes

	tokens     *token.Keeper
	failures   token.Limiter
	streams    streams
	exposed    bool // reached by others than this machine: a token is always needed
	rules      []Rule
	simulating sync.Mutex    // held while a scenario is played
	simTime    time.Duration // see the constant
	undeclared []string      // routes that say not who may call them
}

// New makes a server with all its routes.
func New(config Config) (*Server, error) {
	if config.Client == nil {
		return nil, errors.New("server: Config.Client is required")
	}
	if config.Registry == nil {
		config.Registry = prometheus.NewRegistry()
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	config.Limits = config.Limits.withDefaults()
	s := &Server{
		bodies: intake.NewBytes(config.Limits.Bodies),
		client: config.Client, inspect: config.Client.Inspector(), log: config.Logger, mux: http.NewServeMux(),
		store: config.Store, file: config.Configuration, files: config.Files, api: newDocument(config.Version),
		tokens: config.Client.Tokens(), exposed: config.Exposed, simTime: simTime,
	}
	s.connections = intake.NewConnections(config.Limits.Connections, config.Limits.PerAddress, s.tellRefused)
	s.meter = newMeter(s.connections, s.bodies)
	for _, host := range config.Hosts {
		s.hosts = append(s.hosts, strings.ToLower(host))
	}
	if err := config.Registry.Register(s.meter); err != nil {
		return nil, fmt.Errorf("server: metrics: %w", err)
	}
	s.addTasks()
	s.addDead()
	s.addOperations()
	s.addQueues()
	s.addPolicies()
	s.addSchedules()
	s.addTargets()
	s.addStats()
	s.addSeries()
	s.addSim()
	s.addAlerts()
	s.addNodes()
	s.addWorkers()
	s.addGroups()
	s.addTokens()
	s.addSelf()
	s.addAudit()
	s.addEvents()
	s.addHealth()
	s.addConsole(config.Console)
	s.addMetrics(config.Registry)
	if err := s.addDocument(); err != nil {
		return nil, fmt.Errorf("server: OpenAPI document: %w", err)
	}
	s.mux.Handle("/", s.Guard(token.Known, http.HandlerFunc(s.notFound)))
	if len(s.undeclared) > 0 {
		return nil, fmt.Errorf("server: routes that say not who may call them: %s", strings.Join(s.undeclared, ", "))
	}
	return s, nil
}
