package token

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Limits of tokens.
const (
	MaxQueues = 100
	// MostTokens are kept, those that ended within KeptEnded included.
	MostTokens = 1000
	// KeptEnded is for how long a token that expired or was revoked is listed.
	KeptEnded = 90 * 24 * time.Hour
	// Longest is the longest life of a token that ends.
	Longest = 10 * 365 * 24 * time.Hour
)

// mostNameBytes bounds a name so that the audit log, which takes 512 bytes, can say
// who has acted: else every action of the bearer would be refused.
const mostNameBytes = 480

// Create makes a token and returns its secret, which is not kept. The row of the
// audit log gets the actor, address and request of by. Codes "invalid" with
// fields, and "conflict" when there are too many tokens, or one of the id already.
func (k *Keeper) Create(ctx context.Context, spec inspect.TokenSpec, by store.Audit) (*inspect.Token, inspect.TokenSecret, error) {
	if err := check(&spec); err != nil {
		return nil, nil, err
	}
	id, secret, err := generate(k.random, spec.ID)
	if err != nil {
		return nil, nil, err
	}
	now := k.now().UTC()
	hash := hashOf(secret.Reveal())
	made := row{Hash: hex.EncodeToString(hash[:]), Token: inspect.Token{
		ID: id, Name: spec.Name, Role: spec.Role, Queues: slices.Compact(slices.Sorted(slices.Values(spec.Queues))),
		CreatedAt: now, CreatedBy: by.Actor,
	}}
	if spec.TTL > 0 {
		made.ExpiresAt = now.Add(spec.TTL)
	}
	ended, err := k.ended(ctx, now)
	if err != nil {
		return nil, nil, err
	}
	change := store.Change{Put: []store.Object{made.object(by.Actor, 0)}, Delete: ended, Audit: []store.Audit{made.audit(by, "token.create", nil)}, Quiet: true}
	if _, err := k.objects.Change(ctx, change); err != nil {
		return nil, nil, k.taken(ctx, id, err)
	}
	k.forget()
	return &made.Token, secret, nil
}

// taken says of a token that could not be made, whether its id has one.
func (k *Keeper) taken(ctx context.Context, id string, err error) error {
	if !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		return err
	}
	if _, missing := k.objects.Object(ctx, Kind, id); missing != nil {
		return err
	}
	return &task.Error{Code: task.CodeConflict, Message: "there is a token " + id + " already, and its secret is not shown again",
		Hint: "if its secret is lost: outlast token revoke " + id + ", and make one with another id"}
}

// Revoke ends a token for good: within 2 seconds no node lets its bearer in. One
// that was revoked before is returned as it is. Code "not_found".
func (k *Keeper) Revoke(ctx context.Context, id string, by store.Audit) (*inspect.Token, error) {
	for {
		kept, err := k.objects.Object(ctx, Kind, id)
		if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
			return nil, &task.Error{Code: task.CodeNotFound, Message: "no token " + task.Quote(id), Hint: "outlast token list shows the ids"}
		}
		if err != nil {
			return nil, err
		}
		r, err := readRow(kept.Body)
		if err != nil {
			return nil, err
		}
		if !r.RevokedAt.IsZero() {
			return &r.Token, nil
		}
		before := r.Token
		r.RevokedAt, r.RevokedBy = k.now().UTC(), by.Actor
		_, err = k.objects.Change(ctx, store.Change{
			Put: []store.Object{r.object(by.Actor, kept.Version)}, Audit: []store.Audit{r.audit(by, "token.revoke", &before)}, Quiet: true,
		})
		if errors.Is(err, &task.Error{Code: task.CodeConflict}) && ctx.Err() == nil {
			continue // another was faster
		}
		if err != nil {
			return nil, err
		}
		k.forget()
		return &r.Token, nil
	}
}

// object is how the row is kept. Changes of tokens are quiet ones: no old
// versions of a hash are kept anywhere.
func (r *row) object(actor string, version int64) store.Object {
	body, _ := json.Marshal(r) // texts and times: it cannot fail
	return store.Object{Kind: Kind, Name: r.ID, Body: body, Actor: actor, Version: version}
}

// audit is the row of the audit log: what is known of a token beside its secret.
func (r *row) audit(by store.Audit, action string, before *inspect.Token) store.Audit {
	by.Action, by.Subject = action, Kind+"/"+r.ID
	by.After, _ = json.Marshal(r.Token)
	if before != nil {
		by.Before, _ = json.Marshal(before)
	}
	return by
}

// ended are the tokens that are no longer listed, a hundred at most.
func (k *Keeper) ended(ctx context.Context, now time.Time) ([]store.Object, error) {
	objects, err := k.objects.Objects(ctx, Kind)
	if err != nil {
		return nil, err
	}
	old := func(o store.Object) bool {
		r, err := readRow(o.Body)
		if err != nil {
			return false
		}
		end := cmp.Or(r.RevokedAt, r.ExpiresAt)
		return !end.IsZero() && end.Before(now.Add(-KeptEnded))
	}
	kept := len(objects)
	ended := slices.DeleteFunc(objects, func(o store.Object) bool { return !old(o) })
	if kept-len(ended) >= MostTokens {
		return nil, &task.Error{Code: task.CodeConflict, Message: "there are " + strconv.Itoa(kept-len(ended)) + " tokens, which is the limit",
			Hint: "one that is revoked counts for 90 days; give tokens to programs, not to runs of programs"}
	}
	return ended[:min(len(ended), 100)], nil
}

func check(s *inspect.TokenSpec) error {
	var fields []task.Field
	var hints []string
	complain := func(path, message, hint string) {
		fields, hints = append(fields, task.Field{Path: path, Message: message}), append(hints, hint)
	}
	switch {
	case strings.TrimSpace(s.Name) == "":
		complain("name", "is required", "name who or what bears the token")
	case !utf8.ValidString(s.Name) || strings.ContainsFunc(s.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
		complain("name", "has a character that cannot be shown", "use printable characters")
	case utf8.RuneCountInString(s.Name) > task.MaxName:
		complain("name", "has "+strconv.Itoa(utf8.RuneCountInString(s.Name))+" characters; the limit is 128", "be brief")
	case len(s.Name) > mostNameBytes:
		complain("name", "has "+strconv.Itoa(len(s.Name))+" bytes; the limit is "+strconv.Itoa(mostNameBytes), "be brief")
	}
	if s.ID != "" && !isID(s.ID) {
		complain("id", task.Quote(s.ID)+" is not an id of a token", "8 of the characters a-z and 2-7, chosen at random; one is made when it is left out")
	}
	if !slices.Contains(Roles, s.Role) {
		complain("role", task.Quote(string(s.Role))+" is not a role", "one of viewer, operator, admin, enqueuer, worker")
	}
	if len(s.Queues) > MaxQueues {
		complain("queues", "has "+strconv.Itoa(len(s.Queues))+" names; the limit is 100", "leave it out for all queues")
	}
	if s.Role == inspect.Admin && len(s.Queues) > 0 {
		complain("queues", "cannot stand beside the role admin, which is for everything", "take the role operator for some queues")
	}
	for i, queue := range s.Queues[:min(len(s.Queues), MaxQueues)] {
		if queue == "" || len(queue) > task.MaxName || strings.ContainsFunc(queue, notInName) {
			complain("queues["+strconv.Itoa(i)+"]", task.Quote(queue)+" is not the name of a queue", "names have 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
		}
	}
	if s.TTL < 0 || s.TTL > Longest {
		complain("ttl", s.TTL.String()+" is outside 0s to "+Longest.String(), "0s is for ever")
	}
	if len(fields) == 0 {
		return nil
	}
	return &task.Error{Code: task.CodeInvalid, Message: "the token is invalid", Fields: fields, Hint: strings.Join(hints, "; ")}
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._:-", r)
}
