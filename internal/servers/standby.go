//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Standby makes a hot standby of a running PostgreSQL server, which follows it. It
// is asynchronous until [Server.Synchronous] is called on the primary.
func (s *Server) Standby(ctx context.Context) (*Server, error) {
	if _, is := s.kind.(*postgres); !is {
		return nil, errors.New("servers: only PostgreSQL has standbys")
	}
	backup, err := s.options.postgresProgram("pg_basebackup")
	if err != nil {
		return nil, err
	}
	p, k, err := s.options.newPostgres()
	if err != nil {
		return nil, err
	}
	host, port, _ := strings.Cut(s.address(), ":")
	err = p.run(ctx, backup, "-D", p.data, "-h", host, "-p", port, "-U", "postgres", "-X", "stream", "-c", "fast", "--no-sync")
	if err != nil {
		return nil, errors.Join(err, p.leave())
	}
	o := options{durable: s.options.durable, programs: s.options.programs, settings: []string{
		fmt.Sprintf("primary_conninfo=host=%s port=%s user=postgres application_name=standby", host, port)}}
	each(s.options.settings, func(name, value string) {
		if name != "synchronous_standby_names" && name != "primary_conninfo" {
			o.settings = append(o.settings, name+"="+value)
		}
	})
	if err := errors.Join(p.touch("standby.signal"), writeSettings(p, o)); err != nil {
		return nil, errors.Join(err, p.leave())
	}
	return launch(ctx, p, k, o)
}

// touch makes an empty file in the data directory.
func (p *place) touch(name string) error {
	path := filepath.Join(p.data, name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	if owner := p.as.Credential; owner != nil {
		return os.Chown(path, int(owner.Uid), int(owner.Gid))
	}
	return nil
}

// Synchronous says whether commits of a primary wait until a standby has them.
// While none is connected they wait for one.
func (s *Server) Synchronous(on bool) error {
	if on {
		return s.Set("synchronous_standby_names=*")
	}
	return s.Set("synchronous_standby_names=")
}

// Promote makes a standby a primary, and returns when it accepts writes.
func (s *Server) Promote(ctx context.Context) error {
	control, err := s.options.postgresProgram("pg_ctl")
	if err != nil {
		return err
	}
	return s.run(ctx, control, "promote", "-w", "-D", s.data)
}
