// Package wakeup is the call by which one node tells another that rows of its
// lanes changed, where the store offers no such thing. The call proves by the
// other's wake key, which stands in that node's row, that the caller can read
// the database, and it has no other effect than a look at the lanes.
//
// It goes through package safehttp like every outbound request, with an
// allowance of its own: nodes stand in private networks. Addresses come from
// the rows of nodes, so whoever can write to the database chooses them; what
// such a person gains is a POST of numbers to a fixed path of a private or
// public address. Redirects are not followed, link-local addresses, where
// clouds keep credentials, stay closed, and the only secret in the call is the
// one that the row itself holds.
package wakeup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/store"
)

// The call as both sides know it.
const (
	Path   = "/v1/nodes/wake"
	Header = "Outlast-Wake-Key"
	// MostLanes is how many lanes one call names at most; none means any.
	MostLanes = 4096
)

// private are the ranges in which nodes stand.
var private = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"),
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("fc00::/7"),
}

// Caller makes the calls. It is safe for concurrent use.
type Caller struct{ client *safehttp.Client }

// New makes a caller. Connections stay open between calls, at most two to a
// node.
func New() *Caller {
	return &Caller{safehttp.New(safehttp.Options{
		Allow: private, DialTimeout: time.Second, ResponseHeaderTimeout: time.Second, MaxHeaderBytes: 4 << 10,
		MaxIdleConnsPerHost: 2, MaxIdleConns: 512, IdleConnTimeout: time.Minute,
	})}
}

// Close closes idle connections.
func (c *Caller) Close() { c.client.CloseIdleConnections() }

// body is what is sent.
type body struct {
	Lanes []uint16 `json:"lanes"`
}

// Tell makes one call. It must be bounded by ctx. Errors contain no key.
func (c *Caller) Tell(ctx context.Context, node store.Node, lanes []uint16) error {
	scheme, address := "http://", node.Address
	if secured, ok := strings.CutPrefix(address, "https://"); ok {
		scheme, address = "https://", secured
	}
	host, port, err := net.SplitHostPort(address)
	if number, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil || number == 0 || host == "" {
		return fmt.Errorf("wakeup: the address of node %s is not a host and port", node.ID)
	}
	if len(lanes) > MostLanes {
		lanes = nil
	}
	text, err := json.Marshal(body{append([]uint16{}, lanes...)})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, scheme+net.JoinHostPort(host, port)+Path, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("wakeup: the address of node %s cannot be called", node.ID)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(Header, node.WakeKey)
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be used again
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("wakeup: node %s answered with status %d", node.ID, resp.StatusCode)
	}
	return nil
}
