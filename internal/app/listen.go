package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/task"
)

// checkListen refuses what is no address and port.
func checkListen(listen string) error {
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return task.Invalid("listen", task.Quote(listen)+" is not an address and port", "write it as "+DefaultListen)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return task.Invalid("listen", task.Quote(port)+" is not a port", "0 to 65535, 0 for a free one")
	}
	return nil
}

// local reports whether only this machine reaches an address.
func local(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// checkAccess refuses to be reached by others while nobody has a token: whoever
// reaches the API could run tasks and read all data.
func (a *App) checkAccess(ctx context.Context, client *outlast.Client) error {
	if local(a.config.Listen) {
		return nil
	}
	live, err := client.Inspector().Tokens.Live(ctx)
	if err != nil {
		return fmt.Errorf("look for tokens: %w", err)
	}
	if !live {
		return &task.Error{
			Code:    task.CodeDenied,
			Message: fmt.Sprintf("refusing to listen on %s: it is not a loopback address, and there is no token, so nobody could be let in", task.Quote(a.config.Listen)),
			Hint:    "make one first, with the store of this server: outlast token create --name admin --role admin --store URL",
			Fields:  []task.Field{{Path: "listen", Message: "not a loopback address"}},
		}
	}
	if a.config.Certificate == "" {
		a.config.Logger.Warn("listen.plain", slog.String("address", a.addr),
			slog.String("hint", "tokens and data cross the network in the clear unless a proxy adds TLS: set tls.cert and tls.key"))
	}
	return nil
}

// advertised is where other nodes find this one: the address that it was told to
// name, else the one that it listens on, or, where that is all of them, one that
// the machine has.
func (a *App) advertised() string {
	address := a.config.Advertise
	if address == "" {
		address = a.addr
		if host, port, err := net.SplitHostPort(a.addr); err == nil {
			if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
				address = net.JoinHostPort(ownAddress(), port)
			}
		}
	}
	if a.config.Certificate != "" {
		address = "https://" + address
	}
	return address
}

// ownAddress is an address of this machine that others may reach, else its
// loopback address.
func ownAddress() string {
	addresses, _ := net.InterfaceAddrs() // without any, the loopback one is as good
	for _, one := range addresses {
		if network, ok := one.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			return network.IP.String()
		}
	}
	return "127.0.0.1"
}

// lookEvery is how often the files of a certificate are looked at: when a
// connection begins, and not sooner than this after the last look.
const lookEvery = time.Second

// certificate is read again when its files change. It owns no goroutine.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	watches [2]*config.Watcher
	looked  time.Time
	loaded  *tls.Certificate
}

func newCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log, looked: time.Now(), watches: [2]*config.Watcher{config.Watch(cert), config.Watch(key)}}
	loaded, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, &task.Error{Code: task.CodeInvalid, Message: "the certificate cannot be used", Err: err,
			Hint:   "tls.cert names a file with the certificate and those of its issuers, tls.key one with its private key, both in PEM: " + err.Error(),
			Fields: []task.Field{{Path: "tls", Message: "cannot be used"}}}
	}
	c.loaded = &loaded
	return c, nil
}

// get is the certificate of a connection that begins now.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < lookEvery {
		return c.loaded, nil
	}
	c.looked = time.Now()
	changed := c.watches[0].Changed()
	if c.watches[1].Changed() || changed {
		// A pair that does not fit yet is looked at again when its other half comes.
		loaded, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			c.log.Error("tls.refused", slog.String("cert", c.cert), slog.Any("error", err))
			return c.loaded, nil
		}
		c.loaded = &loaded
		c.log.Info("tls.renewed", slog.String("cert", c.cert), slog.Time("until", loaded.Leaf.NotAfter))
	}
	return c.loaded, nil
}

// secure makes the listener speak TLS, where there is a certificate.
func (a *App) secure() (*tls.Config, error) {
	switch {
	case a.config.Certificate == "" && a.config.Key == "":
		return nil, nil
	case a.config.Certificate == "" || a.config.Key == "":
		return nil, task.Invalid("tls", "one of cert and key is missing", "give both files, or neither")
	}
	c, err := newCertificate(a.config.Certificate, a.config.Key, a.config.Logger)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"h2", "http/1.1"}}, nil
}

var errStopping = errors.New("the server is stopping")
