//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
)

// redis is Redis.
type redis struct{ program string }

// Redis starts Redis.
func Redis(ctx context.Context, list ...Option) (*Server, error) {
	program, found := find("redis-server")
	if !found {
		return nil, &Missing{Server: "Redis", Program: "redis-server", Debian: "redis-server", Brew: "redis"}
	}
	p, err := newPlace("redis", "KILL", "redis")
	if err != nil {
		return nil, err
	}
	err = os.Mkdir(p.data, 0o700)
	if owner := p.as.Credential; owner != nil && err == nil {
		err = os.Chown(p.data, int(owner.Uid), int(owner.Gid))
	}
	if err != nil {
		return nil, errors.Join(err, p.leave())
	}
	return launch(ctx, p, &redis{program}, gather(list))
}

func (k *redis) command(p *place, o options) (string, []string) {
	args := []string{"--port", strconv.Itoa(p.port), "--bind", "127.0.0.1", "--dir", p.data, "--save", ""}
	if o.durable {
		args = append(args, "--appendonly", "yes", "--appendfsync", "everysec")
	}
	each(o.settings, func(name, value string) { args = append(args, "--"+name, value) })
	return k.program, args
}

func (k *redis) signal(how How) syscall.Signal {
	if how == Graceful {
		return syscall.SIGTERM
	}
	return syscall.SIGKILL
}

func (k *redis) url(address, database string) string {
	return "redis://" + address + "/" + database
}

// ready demands +PONG; while it loads its data it answers -LOADING.
func (k *redis) ready(conn net.Conn) error {
	if _, err := io.WriteString(conn, "PING\r\n"); err != nil {
		return err
	}
	var answer [5]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return err
	}
	if string(answer[:]) != "+PONG" {
		return fmt.Errorf("it answers %q", answer)
	}
	return nil
}
