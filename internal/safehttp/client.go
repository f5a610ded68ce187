package safehttp

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Options are the settings of a [Client]. The zero value is ready for use and
// reaches public addresses only.
type Options struct {
	// Allow opens ranges that are refused otherwise. IPv4 ranges also open the
	// same addresses inside IPv6 translation prefixes.
	Allow []netip.Prefix
	// DialTimeout bounds name resolution and connecting, all addresses of a name
	// together. Default 10 s.
	DialTimeout time.Duration
	// TLSHandshakeTimeout bounds the handshake. Default 10 s.
	TLSHandshakeTimeout time.Duration
	// ResponseHeaderTimeout bounds the wait from the end of the request to the
	// header of the answer. Default 0: only the request's context bounds it.
	ResponseHeaderTimeout time.Duration
	// MaxHeaderBytes bounds the header of an answer, informational answers
	// included. Default 64 KiB.
	MaxHeaderBytes int64
	// MaxIdleConns bounds the idle connections to all hosts. Default 4096.
	MaxIdleConns int
	// MaxIdleConnsPerHost bounds the idle connections to one host. Default 1024.
	MaxIdleConnsPerHost int
	// IdleConnTimeout closes idle connections. Default 4 s: many servers close
	// theirs after 5 s (Node.js, Apache), and a request that meets a connection
	// being closed fails without anybody knowing whether it was processed.
	IdleConnTimeout time.Duration
	// RootCAs replaces the certificate authorities of the system when set.
	RootCAs *x509.CertPool
	// Resolver replaces the resolver of the system when set.
	Resolver *net.Resolver
	// Instead makes requests in place of the network, whatever their addresses: for
	// tests. Default nil.
	Instead http.RoundTripper
}

// Client makes outbound requests. It is safe for concurrent use; one client is
// meant to serve the whole process, so that connections are shared.
type Client struct {
	transport *http.Transport
	requests  http.RoundTripper // the transport, but for tests
	guard     *guard
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
}

// New makes a client.
func New(o Options) *Client {
	c := &Client{guard: newGuard(o.Allow)}
	c.dial = c.guard.dialFunc(net.Dialer{
		Timeout:   cmp.Or(o.DialTimeout, 10*time.Second),
		KeepAlive: 30 * time.Second,
		Resolver:  o.Resolver,
	})
	c.transport = &http.Transport{
		Proxy:                  nil, // never from the environment: a proxy would dial unguarded
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    cmp.Or(o.TLSHandshakeTimeout, 10*time.Second),
		ResponseHeaderTimeout:  o.ResponseHeaderTimeout,
		MaxResponseHeaderBytes: cmp.Or(o.MaxHeaderBytes, 64<<10),
		MaxIdleConns:           cmp.Or(o.MaxIdleConns, 4096),
		MaxIdleConnsPerHost:    cmp.Or(o.MaxIdleConnsPerHost, 1024),
		IdleConnTimeout:        cmp.Or(o.IdleConnTimeout, 4*time.Second),
		DisableCompression:     true, // a few bytes could unfold to gigabytes
		ForceAttemptHTTP2:      true, // a transport with its own dialer speaks HTTP/1.1 only otherwise
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream:     256 << 10,
			MaxReceiveBufferPerConnection: 16 << 20,
			SendPingTimeout:               15 * time.Second,
			PingTimeout:                   10 * time.Second,
		},
	}
	if c.requests = c.transport; o.Instead != nil {
		c.requests = o.Instead
	}
	return c
}

// RoundTrip implements [http.RoundTripper]: one request, one answer, whatever
// its status. Redirects are answers like others. An address that is not allowed
// is a [*RefusedError]. The request's context should have a deadline.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	return c.requests.RoundTrip(req)
}

// Do is [Client.RoundTrip] under the name that [http.Client] gives it. Unlike
// there, errors do not contain the URL, which may hold a secret.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	return c.requests.RoundTrip(req)
}

// HTTPClient returns a standard client for libraries that ask for one. It goes
// through the same dialer, follows no redirects and has no cookies; a timeout of
// 0 leaves the limit to the requests' contexts.
func (c *Client) HTTPClient(timeout time.Duration) *http.Client {
	return &http.Client{
		Transport:     c,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// DialContext connects under the same guard, for protocols other than HTTP such
// as mail. Only TCP networks are possible.
func (c *Client) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return c.dial(ctx, network, address)
}

// Reach connects to the host of a URL that was checked and, for https, shakes hands
// and looks at the certificate. It asks nothing, and closes the connection.
func (c *Client) Reach(ctx context.Context, u *url.URL) (err error) {
	port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
	conn, err := c.dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if u.Scheme != "https" {
		return nil
	}
	config := c.transport.TLSClientConfig.Clone()
	config.ServerName = u.Hostname()
	ctx, cancel := context.WithTimeout(ctx, c.transport.TLSHandshakeTimeout)
	defer cancel()
	return tls.Client(conn, config).HandshakeContext(ctx)
}

// CheckAddr returns the [*RefusedError] that a dial to the address would get, or
// nil. Use it to tell people early about addresses that they wrote as numbers;
// the dial checks again.
func (c *Client) CheckAddr(addr netip.Addr) error { return c.guard.check(addr) }

// CloseIdleConnections closes the connections that serve no request now.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }
