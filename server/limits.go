package server

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/server/internal/route"
)

// Defaults of [Limits].
const (
	DefaultConnections = 10_000
	DefaultBodies      = 64 << 20
)

// Limits bound what callers can hold of a node.
type Limits struct {
	// Connections that are open at once, 10 000 when 0. A further one takes the place
	// of one that is idle, or is closed. As many requests of HTTP/2, which share
	// connections, are answered at once; what is beyond gets 503.
	Connections int
	// PerAddress is how many of them one address may have, half when 0. Behind a proxy
	// all callers have one address.
	PerAddress int
	// Bodies are the bytes of request bodies in memory at once, 64 MiB when 0. One
	// token, or one address where no token is needed, may have half. What is beyond is
	// answered with 503.
	Bodies int64
}

func (l Limits) withDefaults() Limits {
	l.Connections = cmp.Or(l.Connections, DefaultConnections)
	l.PerAddress = cmp.Or(l.PerAddress, max(1, l.Connections/2))
	l.Bodies = cmp.Or(l.Bodies, DefaultBodies)
	return l
}

// How long a connection may take to say what it wants, and be silent between
// requests, and what HTTP/2 needs besides: there a connection is not a request.
const (
	maxHeaders    = 32 << 10 // bytes
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	pingAfter     = 30 * time.Second
	pingTimeout   = 15 * time.Second
)

// HTTP returns the server around the handler with the limits that it needs. What it
// serves on should be a listener of [Server.Listen], which bounds the connections.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:                      s,
		ReadHeaderTimeout:            headerTimeout, // that of the TLS handshake too
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeaders,
		DisableGeneralOptionsHandler: true, // it reads a body without a deadline
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: 250, SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: route.AnswerTimeout},
		ConnState:                    s.connections.Track,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// Listen bounds the connections of a listener by [Limits].
func (s *Server) Listen(listener net.Listener) net.Listener { return s.connections.Listen(listener) }

// tellRefused tells the log of connections, and requests, that had no place.
func (s *Server) tellRefused(r intake.Refused) {
	bound := "limits.connections"
	if r.Own {
		bound = "limits.connections_per_address"
	}
	s.log.Warn("connections.refused", slog.Int("count", r.Count), slog.String("address", r.From.String()), slog.String("bound", bound),
		slog.String("hint", "all of them are in use: look who holds them, or raise the bound"))
}
