package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast"
	_ "github.com/outlast-dev/outlast/alert/email" // channels that the API takes
	_ "github.com/outlast-dev/outlast/cel"         // conditions that it takes
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/simulation"
)

// Config is what a server is made of.
type Config struct {
	// Client does everything; required. It need not have started.
	Client *outlast.Client
	// Store says what kind of store there is, for /readyz?verbose; no secrets.
	Store string
	// Safety is that of the store, [ByDatabaseServer] when zero.
	Safety Safety
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
	// Console answers GET / and what is below /console/, without a token: [Console], or
	// nothing when nil.
	Console http.Handler
	// Docs answers GET /docs and what is below it, without a token: the documentation as web
	// pages. A redirect to those of the project when nil.
	Docs http.Handler
}

// Server is the HTTP API as an [http.Handler]. Make it with [New]; it is safe
// for concurrent use and owns no goroutines.
type Server struct {
	log         *slog.Logger
	mux         *http.ServeMux
	entry       entry
	gate        *gate
	meter       *meter
	connections *intake.Connections
	bodies      *intake.Bytes
	table       *route.Table
	rules       []Rule
	simulator   *simulation.Simulator
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
	if config.Docs == nil {
		config.Docs = http.RedirectHandler("https://github.com/outlast-dev/outlast/tree/main/docs", http.StatusFound)
	}
	all := config.Client.Inspector()
	s := &Server{
		log: config.Logger, mux: http.NewServeMux(), entry: newEntry(config.Exposed, config.Hosts),
		gate:   &gate{tokens: config.Client.Inspector().Tokens, exposed: config.Exposed, log: config.Logger},
		bodies: intake.NewBytes(config.Limits.Bodies), simulator: simulation.New(all.Policies, all.Tasks),
	}
	s.connections = intake.NewConnections(config.Limits.Connections, config.Limits.PerAddress, s.tellRefused)
	s.meter = newMeter(s.connections, s.bodies)
	if err := config.Registry.Register(s.meter); err != nil {
		return nil, fmt.Errorf("server: metrics: %w", err)
	}
	s.table = table(&config, s.simulator)
	addMetrics(s.table, config.Registry, config.Logger)
	if err := addDocuments(s.table); err != nil {
		return nil, fmt.Errorf("server: OpenAPI document: %w", err)
	}
	if err := s.mount(s.table); err != nil {
		return nil, err
	}
	s.addPages(config.Console, "/{$}", consolePath)
	s.addPages(config.Docs, "/docs", docsPath)
	s.mux.Handle("/", s.Guard(inspect.PermissionKnown, http.HandlerFunc(s.notFound)))
	return s, nil
}

// Rules are those of all routes, in the order of their making.
func (s *Server) Rules() []Rule { return append([]Rule(nil), s.rules...) }

// Document is the OpenAPI document, as JSON.
func (s *Server) Document() ([]byte, error) { return s.table.Document() }

// OlderDocument is the same in OpenAPI 3.0, for programs that do not read 3.1.
func (s *Server) OlderDocument() ([]byte, error) { return s.table.OlderDocument() }
