package safehttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"

	"github.com/outlast-dev/outlast/retry"
)

// CodeRefused is the verdict code of a [RefusedError].
const CodeRefused = "refused_address"

// RefusedError says that an address was not dialed because it lies in a range
// that requests may not reach. Nothing was sent.
type RefusedError struct {
	Addr netip.Addr
	// Kind names the range: "loopback", "private", "link-local", ….
	Kind string
}

// Error names the address, the reason and the remedy.
func (e *RefusedError) Error() string {
	if !e.Addr.IsValid() {
		return "refused to connect: " + e.Kind
	}
	return fmt.Sprintf("refused to connect to %s, which is a %s address (%s)", e.Addr, e.Kind, e.Hint())
}

// Hint tells an operator how to open the address.
func (e *RefusedError) Hint() string {
	if !e.Addr.IsValid() {
		return ""
	}
	return fmt.Sprintf("to allow it, start the server with --allow-target %s, or open the client with outlast.WithAllowedTargets",
		netip.PrefixFrom(e.Addr.WithZone(""), e.Addr.BitLen()))
}

// RetryVerdict implements [retry.Verdictor]: no retry changes the answer.
func (e *RefusedError) RetryVerdict() retry.Verdict {
	return retry.Verdict{
		Category: retry.Permanent, Effect: retry.NotSent,
		Type: "*safehttp.RefusedError", Code: CodeRefused,
	}
}

// partlyRefusedError is the failure of a dial to a name with several addresses
// of which some were refused and the others did not answer. Unlike a
// [RefusedError] it is worth another try.
type partlyRefusedError struct{ err error }

func (e *partlyRefusedError) Error() string {
	return "no allowed address of the host answered; " + e.err.Error()
}

// Inside is what it was made of. It is not unwrapped, since it is no refusal.
func (e *partlyRefusedError) Inside() error { return e.err }

// SafeToRetry tells package retry that this request was not sent. It says nothing about
// what its caller did before.
func (e *partlyRefusedError) SafeToRetry() bool { return true }

// guard decides which addresses may be dialed.
type guard struct{ allow []netip.Prefix }

func newGuard(allow []netip.Prefix) *guard {
	g := &guard{}
	for _, prefix := range allow {
		if prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}
		if prefix.IsValid() {
			g.allow = append(g.allow, prefix.Masked())
		}
	}
	return g
}

// check returns a *RefusedError unless the address is public or allowed. An
// address with an IPv4 address inside is open when that one is allowed, or when
// the address itself is allowed and the one inside is public or allowed.
func (g *guard) check(addr netip.Addr) error {
	original := addr
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() {
		return &RefusedError{Kind: "not an IP address"}
	}
	kind := specialKind(addr)
	if kind == "" {
		return nil
	}
	if inner, ok := embedded(addr, kind); ok {
		if g.allowed(inner) || g.allowed(addr) && specialKind(inner) == "" {
			return nil
		}
	} else if g.allowed(addr) {
		return nil
	}
	return &RefusedError{Addr: original.Unmap(), Kind: kind}
}

func (g *guard) allowed(addr netip.Addr) bool {
	for _, prefix := range g.allow {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// dialLog counts the addresses of one dial that passed the guard.
type dialLog struct{ passed atomic.Bool }

type dialLogKey struct{}

// control runs on the raw socket right before it connects, once for each
// address that a name resolved to, so the address checked is the one dialed.
func (g *guard) control(ctx context.Context, network, address string, _ syscall.RawConn) error {
	switch network {
	case "tcp", "tcp4", "tcp6":
	default:
		return &RefusedError{Kind: "network " + network}
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return &RefusedError{Kind: "not an IP address"}
	}
	if err := g.check(target.Addr()); err != nil {
		return err
	}
	if log, ok := ctx.Value(dialLogKey{}).(*dialLog); ok {
		log.passed.Store(true)
	}
	return nil
}

// dialFunc wraps a dialer, whose control hook it replaces, with the guard.
func (g *guard) dialFunc(dialer net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	dialer.Control, dialer.ControlContext = nil, g.control
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		log := &dialLog{}
		conn, err := dialer.DialContext(context.WithValue(ctx, dialLogKey{}, log), network, address)
		var refused *RefusedError
		if err != nil && errors.As(err, &refused) && log.passed.Load() {
			return nil, &partlyRefusedError{err}
		}
		return conn, err
	}
}

// Allows reports whether an address may be called with these ranges opened, as
// [Options.Allow] would.
func Allows(allow []netip.Prefix, addr netip.Addr) bool { return newGuard(allow).check(addr) == nil }
