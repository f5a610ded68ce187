package serve

import (
	"net"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// ready tells systemd, if it has started this process, that the server listens: until then
// systemctl start waits. See sd_notify(3).
func ready(c *cli.Env) error {
	socket, found := c.Lookup("NOTIFY_SOCKET")
	if !found {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // what was written has arrived
	_, err = conn.Write([]byte("READY=1"))
	return err
}
