package safehttp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func newClient(t *testing.T, o Options) *Client {
	t.Helper()
	client := New(o)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// server counts the connections that reach it.
func server(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var connections atomic.Int64
	s := httptest.NewUnstartedServer(handler)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, &connections
}

// get returns the status and the body of the answer.
func get(t *testing.T, client *Client, url string) (status int, body string, err error) {
	t.Helper()
	return getWithin(t, client, url, time.Minute)
}

func getWithin(t *testing.T, client *Client, url string, limit time.Duration) (status int, body string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func wantRefused(t *testing.T, err error, what string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("%s: got %v, want a refusal", what, err)
		return
	}
	if v := retry.Classify(err); v.Category != retry.Permanent || v.Effect != retry.NotSent || v.Code != CodeRefused {
		t.Errorf("%s: verdict %+v", what, v)
	}
}

// TestDialRefusesEveryNotation dials hosts without CheckURL in front: what the
// resolver of this system makes of them does not matter.
func TestDialRefusesEveryNotation(t *testing.T) {
	t.Parallel()
	s, connections := server(t, func(http.ResponseWriter, *http.Request) {})
	client := newClient(t, Options{})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "[::%25lo]", "[::1%25lo]"} {
		_, _, err := get(t, client, "http://"+host+":"+port+"/")
		wantRefused(t, err, host)
	}
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.1", "0x7f.1", "localhost.", "017700000001", "0"} {
		if _, _, err := getWithin(t, client, "http://"+host+":"+port+"/", 5*time.Second); err == nil { // a resolver may be asked that is not there
			t.Errorf("%s was reached", host)
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

func TestAllowedAddressIsReached(t *testing.T) {
	t.Parallel()
	s, _ := server(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Accept-Encoding")) }) //nolint:errcheck // test
	_, body, err := get(t, newClient(t, Options{Allow: loopback}), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		t.Errorf("asked for compression: %s", body)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	inner, reached := server(t, func(http.ResponseWriter, *http.Request) {})
	outer, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		http.Redirect(w, r, inner.URL, http.StatusFound)
	})
	client := newClient(t, Options{Allow: loopback})
	for range 2 {
		status, _, err := get(t, client, outer.URL)
		if err != nil || status != http.StatusFound {
			t.Fatal(status, err)
		}
		resp, err := client.HTTPClient(time.Minute).Get(outer.URL) //nolint:noctx // the client has a timeout
		if err != nil || resp.StatusCode != http.StatusFound {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
	}
	if reached.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	proxy, reached := server(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	_, _, err := get(t, newClient(t, Options{}), "http://10.1.2.3:8080/")
	wantRefused(t, err, "10.1.2.3")
	if reached.Load() != 0 {
		t.Error("the proxy was asked")
	}
}

// dns answers every question for A with the next addresses of a list, the last
// one again and again, and every other question with nothing.
func dns(t *testing.T, answers ...[][4]byte) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		question := make([]byte, 512)
		for {
			n, from, err := socket.ReadFrom(question)
			if err != nil {
				return
			}
			reply, isA := dnsAnswer(question[:n], answers[0])
			if isA && len(answers) > 1 {
				answers = answers[1:]
			}
			socket.WriteTo(reply, from) //nolint:errcheck // test
		}
	}()
	t.Cleanup(func() { socket.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

// dnsAnswer builds the reply to one question (RFC 1035 §4).
func dnsAnswer(question []byte, addrs [][4]byte) (reply []byte, isA bool) {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5
	isA = question[end-3] == 1
	if !isA {
		addrs = nil
	}
	reply = append(reply, question[0], question[1], 0x81, 0x80, 0, 1, 0, byte(len(addrs)), 0, 0, 0, 0)
	reply = append(reply, question[12:end]...)
	for _, addr := range addrs {
		reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		reply = append(reply, addr[:]...)
	}
	return reply, isA
}

// TestRebinding resolves a name to an address that is allowed at first and to
// one that is not afterwards.
func TestRebinding(t *testing.T) {
	t.Parallel()
	s, connections := server(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	client := newClient(t, Options{
		Allow:    []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Resolver: dns(t, [][4]byte{{127, 0, 0, 1}}, [][4]byte{{127, 0, 0, 2}}),
	})
	if _, _, err := get(t, client, "http://rebind.example:"+port); err != nil {
		t.Fatal(err)
	}
	_, _, err := get(t, client, "http://rebind.example:"+port)
	wantRefused(t, err, "second answer")
	if connections.Load() != 1 {
		t.Errorf("%d connections", connections.Load())
	}
}

// TestNameWithSeveralAddresses: refused addresses are skipped; when the others do
// not answer, another try makes sense.
func TestNameWithSeveralAddresses(t *testing.T) {
	t.Parallel()
	s, _ := server(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	client := newClient(t, Options{
		Allow:    []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Resolver: dns(t, [][4]byte{{10, 0, 0, 1}, {127, 0, 0, 1}}),
	})
	if _, _, err := get(t, client, "http://mixed.example:"+port); err != nil {
		t.Fatal(err)
	}
	s.Close()
	client = newClient(t, Options{
		Allow:    []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")},
		Resolver: dns(t, [][4]byte{{127, 0, 0, 1}, {127, 0, 0, 2}}),
	})
	_, _, err := get(t, client, "http://mixed.example:"+port)
	if v := retry.Classify(err); v.Category != retry.Unsent || v.Effect != retry.NotSent {
		t.Errorf("%+v for %v", v, err)
	}
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1, which is a loopback") {
		t.Errorf("the refused address is not named: %v", err)
	}
}

func TestDialContextIsForTCPOnly(t *testing.T) {
	t.Parallel()
	client := New(Options{Allow: loopback})
	for _, row := range [][2]string{{"unix", "/var/run/docker.sock"}, {"udp", "127.0.0.1:53"}, {"ip4:icmp", "127.0.0.1"}} {
		if conn, err := client.DialContext(t.Context(), row[0], row[1]); err == nil {
			conn.Close()
			t.Errorf("%s connected", row[0])
		}
	}
	wantRefused(t, New(Options{}).CheckAddr(netip.MustParseAddr("10.0.0.1")), "CheckAddr")
}
