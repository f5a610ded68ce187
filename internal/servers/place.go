//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// place is where a server lives: a folder, a port, a user, and the shell that
// cleans up when this process is gone.
type place struct {
	dir  string // of this server alone
	data string // the data directory in it
	port int
	hold io.Closer // keeps the port from others that look for one, also while the server is stopped
	as   *syscall.SysProcAttr

	guard *exec.Cmd
	tell  io.WriteCloser
}

// newPlace makes a folder that belongs to the first of the users that exists, if
// the caller is root: servers refuse to run as root.
func newPlace(name, signal string, users ...string) (*place, error) {
	dir, err := os.MkdirTemp("", "outlast-"+name+"-")
	if err != nil {
		return nil, err
	}
	p := &place{dir: dir, data: filepath.Join(dir, "data"), as: &syscall.SysProcAttr{Setpgid: true}}
	if err := errors.Join(p.own(users), p.newPort(), p.watch(signal)); err != nil {
		if p.hold != nil {
			err = errors.Join(err, p.hold.Close())
		}
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

// own gives the folder to an unprivileged user where that is needed.
func (p *place) own(users []string) error {
	if os.Getuid() == 0 {
		uid, gid, err := unprivileged(append(users, "nobody"))
		if err != nil {
			return err
		}
		if err := os.Chown(p.dir, uid, gid); err != nil {
			return err
		}
		p.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return nil
}

func unprivileged(names []string) (uid, gid int, err error) {
	for _, name := range names {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		if uid, err = strconv.Atoi(found.Uid); err != nil {
			return 0, 0, err
		}
		gid, err = strconv.Atoi(found.Gid)
		return uid, gid, err
	}
	return 0, 0, fmt.Errorf("there is none of the users %v, and servers refuse to run as root", names)
}

// newPort gives the server a port, held until the server is closed: it may be long
// until it listens.
func (p *place) newPort() error {
	port, hold, err := HoldPort()
	if err != nil {
		return err
	}
	if p.hold != nil {
		_ = p.hold.Close() // nothing was sent
	}
	p.port, p.hold = port, hold
	return nil
}

// FreePort is a port for a server that is started otherwise, at once.
func FreePort() (int, error) {
	port, hold, err := HoldPort()
	if err != nil {
		return 0, err
	}
	return port, hold.Close()
}

// HoldPort finds a port that nobody listens on, for a server that may listen late, and
// again: it is below those that the system hands to outgoing connections. Until hold is
// closed, the same port of UDP, which no server wants, says that it is taken, to this
// process and to others.
func HoldPort() (port int, hold io.Closer, err error) {
	for range 50 {
		port = 15000 + rand.IntN(15000)
		address := "127.0.0.1:" + strconv.Itoa(port)
		if hold, err = net.ListenPacket("udp", address); err != nil {
			continue
		}
		listener, taken := net.Listen("tcp", address)
		if err = taken; err == nil {
			return port, hold, listener.Close()
		}
		_ = hold.Close()
	}
	return 0, nil, fmt.Errorf("no free port: %w", err)
}

// guardScript reads process ids, an empty line for none, until this process is
// gone, however it went. The last one is then ended and the folder removed.
const guardScript = `trap '' INT TERM HUP
pid=
while IFS= read -r line; do pid=$line; done
if [ -n "$pid" ] && kill -"$1" "$pid" 2>/dev/null; then sleep 1; kill -KILL "$pid" 2>/dev/null; fi
rm -rf -- "$2"`

// watch starts the shell that cleans up, in a process group of its own: an
// interrupt from the terminal does not reach it.
func (p *place) watch(signal string) error {
	p.guard = exec.Command("sh", "-c", guardScript, "sh", signal, p.dir)
	p.guard.Dir, p.guard.SysProcAttr = "/", &syscall.SysProcAttr{Setpgid: true}
	tell, err := p.guard.StdinPipe()
	if err != nil {
		return err
	}
	p.tell = tell
	return p.guard.Start()
}

// running tells the shell which process to end; 0 for none.
func (p *place) running(pid int) error {
	line := "\n"
	if pid != 0 {
		line = strconv.Itoa(pid) + "\n"
	}
	_, err := io.WriteString(p.tell, line)
	return err
}

// leave lets the shell remove the folder, and waits for it.
func (p *place) leave() error {
	return errors.Join(p.tell.Close(), p.guard.Wait(), p.hold.Close())
}

// run runs a program of the server to its end, as the server's user.
func (p *place) run(ctx context.Context, path string, args ...string) error {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.SysProcAttr = p.dir, p.as
	cmd.Env = append(os.Environ(), "HOME="+p.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(path), err, out)
	}
	return nil
}

// write writes a file of the server's user.
func (p *place) write(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	if owner := p.as.Credential; owner != nil {
		return os.Chown(path, int(owner.Uid), int(owner.Gid))
	}
	return nil
}

func (p *place) address() string { return "127.0.0.1:" + strconv.Itoa(p.port) }
