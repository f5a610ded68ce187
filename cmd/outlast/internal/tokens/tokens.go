// Package tokens is outlast token and outlast whoami: who may do what.
package tokens

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/settings"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// Command makes outlast token and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	place := &tokenPlace{}
	cmd := cli.Noun("token", "Create, list and revoke access tokens", newCreate(c, place), newList(c, place), newRevoke(c, place))
	cmd.PersistentFlags().StringVar(&place.url, "store", "", "work on this store instead of asking the server: "+stores.Forms())
	place.Add(cmd.PersistentFlags())
	return cmd
}

// tokenPlace is where tokens are: in the store of a URL, with its keys, or "" for those
// of the server.
type tokenPlace struct {
	settings.KeyPlaces
	url string
}

// tokens are made, listed and revoked by a server or on a store.
type tokens interface {
	CreateToken(ctx context.Context, spec client.TokenSpec) (*client.NewToken, error)
	Tokens(ctx context.Context) (*client.Tokens, error)
	RevokeToken(ctx context.Context, id string) (*client.Token, error)
}

// withTokens does something by the server, or on the store of a URL. One that is not
// there is made only if a token is.
func withTokens(ctx context.Context, c *cli.Env, place *tokenPlace, create bool, do func(tokens) error) (err error) {
	url := place.url
	if url == "" {
		api, err := c.Connect()
		if err != nil {
			return err
		}
		defer api.Close()
		return do(api)
	}
	k, err := stores.Durable(url)
	if err != nil {
		return err
	}
	if !create {
		if err := k.Exists(url); err != nil {
			return err
		}
	}
	backend, err := k.Open(ctx, url, !create)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	rows, err := place.admitted(ctx, backend)
	if err != nil {
		return err
	}
	return do(&storeTokens{token.NewKeeper(rows)})
}

// admitted is a store as who has its keys sees it. Where tasks are encrypted, so that
// tokens are authenticated, the key is needed.
func (p *tokenPlace) admitted(ctx context.Context, backend store.Backend) (store.Backend, error) {
	file, err := p.Read()
	if err != nil {
		return nil, err
	}
	keys, err := settings.ReadKeys(&file.Encryption)
	if err != nil {
		return nil, err
	}
	rows, err := sealed.Wrap(backend, keys, nil)
	if err != nil {
		return nil, err
	}
	return rows, rows.Admit(ctx, true)
}

// storeTokens works on a store, so that there can be a first token.
type storeTokens struct{ keeper *token.Keeper }

var byCommandLine = store.Audit{Actor: "cli"}

func (s *storeTokens) CreateToken(ctx context.Context, spec client.TokenSpec) (*client.NewToken, error) {
	made, secret, err := s.keeper.Create(ctx, inspect.TokenSpec{ID: spec.ID, Name: spec.Name, Role: inspect.Role(spec.Role), Queues: spec.Queues, TTL: time.Duration(spec.TTL)}, byCommandLine)
	if err != nil {
		return nil, err
	}
	return &client.NewToken{Token: tokenView(made), Secret: secret.Reveal()}, nil
}

func (s *storeTokens) Tokens(ctx context.Context) (*client.Tokens, error) {
	all, err := s.keeper.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &client.Tokens{Tokens: make([]client.Token, len(all))}
	for i := range all {
		out.Tokens[i] = tokenView(&all[i])
	}
	return out, nil
}

func (s *storeTokens) RevokeToken(ctx context.Context, id string) (*client.Token, error) {
	revoked, err := s.keeper.Revoke(ctx, id, byCommandLine)
	if err != nil {
		return nil, err
	}
	view := tokenView(revoked)
	return &view, nil
}

func tokenView(t *inspect.Token) client.Token {
	at := func(t time.Time) client.Time { return client.Time{Time: t} }
	return client.Token{
		ID: t.ID, Name: t.Name, Role: string(t.Role), Queues: t.Queues, State: string(t.State(time.Now())), CreatedAt: at(t.CreatedAt),
		CreatedBy: t.CreatedBy, ExpiresAt: at(t.ExpiresAt), RevokedAt: at(t.RevokedAt), RevokedBy: t.RevokedBy,
	}
}

func newCreate(c *cli.Env, place *tokenPlace) *cobra.Command {
	var spec client.TokenSpec
	var ttl time.Duration
	cmd := &cobra.Command{
		Use: "create", Short: "Create a token and print it once", Args: cobra.NoArgs,
		Long: `Create a token and print it to standard output. It is shown only once; the store keeps
a hash. As soon as there is a token, every request to a server of the store needs one,
also requests from the same machine.

Create the first token on the store itself, even before a server has run:

  outlast token create --name ops --role admin --store sqlite:outlast.db > admin.token
  OUTLAST_TOKEN=$(cat admin.token) outlast task list

Roles:
  viewer    sees everything
  operator  also enqueues, and acts on tasks, queues and targets
  admin     may do everything
  enqueuer  enqueues tasks and follows them by their ids
  worker    takes tasks and settles them

--queue limits a token to queues.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			spec.TTL = client.Duration(ttl)
			return withTokens(ctx, c, place, true, func(t tokens) error {
				spec.ID = cmp.Or(spec.ID, token.NewID())
				made, err := t.CreateToken(ctx, spec)
				if err != nil {
					if inDoubt(err) {
						c.Say("the token %s may have been created: outlast token revoke %[1]s, then create another", spec.ID)
					}
					return err
				}
				c.Say("token %s (%s), role %s, %s, %s; it is not shown again", made.ID, cli.Clean(made.Name), made.Role, tokenQueues(&made.Token), tokenEnd(&made.Token))
				return c.Show(made, func(w io.Writer) { cli.Row(w, made.Secret) })
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&spec.ID, "id", "", "id, 8 characters of a-z and 2-7; generated by default")
	flags.StringVar(&spec.Name, "name", "", "name of the person or program that uses the token")
	flags.StringVar(&spec.Role, "role", "", "viewer, operator, admin, enqueuer or worker")
	flags.StringSliceVar(&spec.Queues, "queue", nil, "queue that it is limited to (repeatable); default all")
	flags.DurationVar(&ttl, "ttl", 0, "how long it is valid, such as 2160h; default forever")
	return cmd
}

// inDoubt reports whether what failed may have been done all the same.
func inDoubt(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return false
	}
	var problem *task.Error
	return !errors.As(err, &problem) || problem.Code == task.CodeUnavailable || problem.Code == task.CodeInternal
}

func newList(c *cli.Env, place *tokenPlace) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List tokens by name, without their secrets", Args: cobra.NoArgs,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			return withTokens(ctx, c, place, false, func(t tokens) error {
				all, err := t.Tokens(ctx)
				if err != nil {
					return err
				}
				return cli.List(c, all, all.Tokens, func(w io.Writer) { tokenRows(w, all.Tokens) })
			})
		}),
	}
}

func newRevoke(c *cli.Env, place *tokenPlace) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Revoke a token for good, on all nodes within 2 seconds", Args: cobra.ExactArgs(1),
		RunE: c.Act(func(ctx context.Context, args []string) error {
			return withTokens(ctx, c, place, false, func(t tokens) error {
				revoked, err := t.RevokeToken(ctx, args[0])
				if err != nil {
					return err
				}
				return c.Show(revoked, func(w io.Writer) { tokenRows(w, []client.Token{*revoked}) })
			})
		}),
	}
}

func tokenRows(w io.Writer, all []client.Token) {
	cli.Row(w, "ID", "NAME", "ROLE", "QUEUES", "STATE", "CREATED", "BY", "EXPIRES")
	for i := range all {
		t := &all[i]
		cli.Row(w, cli.Clean(t.ID), cli.Clean(t.Name), cli.Clean(t.Role), tokenQueues(t), cli.Clean(t.State), cli.When(t.CreatedAt), cli.Clean(t.CreatedBy), cli.When(t.ExpiresAt))
	}
}

func tokenQueues(t *client.Token) string {
	if len(t.Queues) == 0 {
		return "all queues"
	}
	return cli.Clean(strings.Join(t.Queues, ","))
}

func tokenEnd(t *client.Token) string {
	if t.ExpiresAt.IsZero() {
		return "valid until revoked"
	}
	return "valid until " + cli.When(t.ExpiresAt)
}
