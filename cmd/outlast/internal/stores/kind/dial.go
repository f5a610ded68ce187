package kind

import (
	"context"
	"database/sql/driver"
	"net"
	"time"
)

// How soon a connection to a database is given up when the other side says nothing
// at all, not even that it has received something: a statement may take as long as
// it likes, but its server must be there.
const (
	silentFor      = 5 * time.Second // until a connection in use or idle is tested
	testedEvery    = time.Second
	testedTimes    = 3
	ConnectedAfter = 5 * time.Second // the exchange of greetings included
)

// Dialer makes connections to database servers. After a network was cut, or a
// server has lost its power, they break within 8 s, or 5 s where the system can be
// told how long to wait for a receipt. Systems wait for a quarter of an hour by
// themselves.
func Dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         ConnectedAfter,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silentFor, Interval: testedEvery, Count: testedTimes},
		Control:         limitReceipts,
	}
}

// Dial is the way to a database server, or to the address of [Via] if there is one.
func Dial(via string) func(ctx context.Context, network, address string) (net.Conn, error) {
	if via == "" {
		return Dialer().DialContext
	}
	return func(ctx context.Context, _, _ string) (net.Conn, error) { return Dialer().DialContext(ctx, "tcp", via) }
}

// Greeted bounds how long a new connection takes until it can be used.
type Greeted struct{ driver.Connector }

// Connect makes a connection.
func (g Greeted) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, ConnectedAfter)
	defer cancel()
	return g.Connector.Connect(ctx)
}
