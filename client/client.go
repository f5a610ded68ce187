package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// DefaultServer is where a server listens that was not told otherwise.
const DefaultServer = "http://127.0.0.1:7070"

// How calls are repeated whose answer was lost or asks to come back.
const (
	defaultTries = 4
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	maxAnswer    = 64 << 20
)

// Client calls one server. Make it with [New]; it is safe for concurrent use.
type Client struct {
	base  *url.URL
	http  *http.Client
	agent string
	token string
	tries int
}

// Option changes what [New] makes.
type Option func(*Client)

// WithHTTPClient sets the client that makes the requests. By default it is
// one of its own, without a time limit: contexts bound the calls.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithUserAgent names the caller, "outlast-go" by default.
func WithUserAgent(agent string) Option { return func(c *Client) { c.agent = agent } }

// WithToken sets the token that every call sends to the server; none by default,
// and none for an empty text. Spaces and line ends around it are left out.
func WithToken(token string) Option { return func(c *Client) { c.token = strings.TrimSpace(token) } }

// WithRootCAs sets the certificate authorities of an https server, in place of the
// system's. It replaces what [WithHTTPClient] sets, and is replaced by it.
func WithRootCAs(pool *x509.CertPool) Option {
	return func(c *Client) {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
		c.http = &http.Client{Transport: transport, CheckRedirect: c.http.CheckRedirect}
	}
}

// WithTries sets how often a call that is safe to repeat is tried, 4 by
// default, 1 for no repeats.
func WithTries(n int) Option { return func(c *Client) { c.tries = max(1, n) } }

// New makes a client of the server at an http or https URL. It does not
// connect yet.
func New(server string, opts ...Option) (*Client, error) {
	base, err := url.Parse(server)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, task.Invalid("server", task.Quote(server)+" is not the URL of a server", "write it as "+DefaultServer)
	}
	base.Path = strings.TrimRight(base.Path, "/")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	c := &Client{base: base, agent: "outlast-go", tries: defaultTries, http: &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a server does not redirect; whoever does is not it
		},
	}}
	for _, opt := range opts {
		opt(c)
	}
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call is one request.
type call struct {
	method, path string
	query        url.Values
	body         any
	header       http.Header // beside the usual ones
	once         bool        // a repeat could do harm, or would be refused
	accept       int         // a status that is no error here, beside those below 300
}

// do makes a call and decodes its answer into out, which may be nil. It
// returns the status.
func (c *Client) do(ctx context.Context, call call, out any) (int, error) {
	var body []byte
	if call.body != nil {
		var err error
		if body, err = Marshal(call.body); err == nil {
			err = checkTexts(body, call.body)
		}
		if err != nil {
			return 0, err
		}
	}
	tries := c.tries
	if call.once {
		tries = 1
	}
	var before error
	for try := 1; ; try++ {
		status, err := c.attempt(ctx, call, body, out)
		if err != nil && before != nil && (ctx.Err() != nil || full(err)) {
			err = fmt.Errorf("%w; before that: %w", err, before) // what the server said, and not just that time is up
		}
		if err == nil || try >= tries || !passing(err) || ctx.Err() != nil {
			return status, err
		}
		if pauseErr := pause(ctx, try, err); pauseErr != nil {
			return status, fmt.Errorf("%w; last: %w", pauseErr, err)
		}
		before = err
	}
}

// passing reports whether an error may be gone at the next try.
func passing(err error) bool {
	var problem *Error
	if !errors.As(err, &problem) {
		return errors.Is(err, errLost)
	}
	if problem.Code == task.CodeRateLimited || problem.Code == task.CodeQueueFull {
		return false // the token is not good, now or later; and a full queue is for the caller to wait for
	}
	switch problem.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// full reports whether a queue had no place. After a try of unknown outcome that
// does not mean that nothing was accepted.
func full(err error) bool {
	var problem *Error
	return errors.As(err, &problem) && problem.Code == task.CodeQueueFull
}

// pause waits before the next try: full jitter over an exponential wait, but
// at least what the server asked for.
func pause(ctx context.Context, try int, err error) error {
	ceiling := min(longestPause, firstPause<<(try-1))
	wait := rand.N(ceiling) //nolint:gosec // spreads callers; nothing is secret
	var problem *Error
	if errors.As(err, &problem) {
		wait = max(wait, min(longestPause, time.Duration(problem.RetryAfter)))
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errLost marks an exchange without an answer.
var errLost = errors.New("no answer")

func (c *Client) attempt(ctx context.Context, call call, body []byte, out any) (int, error) {
	resp, err := c.send(ctx, call, body)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return resp.StatusCode, c.lost(ctx, err)
	}
	if out == nil {
		return resp.StatusCode, nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return resp.StatusCode, fmt.Errorf("client: the answer of %s is not what was expected: %w", c.base.Host, err)
	}
	return resp.StatusCode, nil
}

// send makes a request and returns its answer unless it is a problem.
func (c *Client) send(ctx context.Context, call call, body []byte) (*http.Response, error) {
	target := c.base.String() + call.path
	if len(call.query) > 0 {
		target += "?" + call.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, call.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.agent)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name := range call.header {
		req.Header.Set(name, call.header.Get(name))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.lost(ctx, err)
	}
	if resp.StatusCode < 300 || resp.StatusCode == call.accept {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, c.problem(resp)
}

// lost is an error of code unavailable: the outcome is not known, unless nothing was
// asked.
func (c *Client) lost(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("client: %s did not answer in time: %w", c.base.Host, cause)
	}
	if unspoken := c.unspoken(err); unspoken != nil {
		return unspoken
	}
	e := &task.Error{
		Code: task.CodeUnavailable, Message: "the server at " + c.base.Host + " does not answer",
		Hint: "is it running? `outlast serve` starts one", Err: errors.Join(errLost, err),
	}
	var lookup *net.DNSError
	if errors.As(err, &lookup) && lookup.IsNotFound {
		e.Message, e.Hint = "there is no host "+task.Quote(c.base.Hostname()), "check the URL of the server: --server, OUTLAST_SERVER, or what client.New was given"
	}
	return e
}

// problem reads the error of an answer, whoever wrote it.
func (c *Client) problem(resp *http.Response) error {
	e := &Error{}
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if c.base.Scheme == "http" && plainToTLS(resp.StatusCode, data) {
		return otherScheme(c.base, nil)
	}
	if err != nil || json.Unmarshal(data, e) != nil || e.Code == "" {
		*e = Error{Title: http.StatusText(resp.StatusCode), Code: task.CodeInternal, Detail: "the answer is no problem document: " + resp.Status,
			Hint: "is this an Outlast server?"}
		if resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusGatewayTimeout {
			e.Code = task.CodeUnavailable
		}
	}
	e.Status = resp.StatusCode
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && e.RetryAfter == 0 {
		e.RetryAfter = Duration(time.Duration(seconds) * time.Second)
	}
	return e
}

func get[T any](ctx context.Context, c *Client, path string, query url.Values) (*T, error) {
	return exchange[T](ctx, c, call{method: http.MethodGet, path: path, query: query})
}

func exchange[T any](ctx context.Context, c *Client, call call) (*T, error) {
	out := new(T)
	if _, err := c.do(ctx, call, out); err != nil {
		return nil, err
	}
	return out, nil
}
