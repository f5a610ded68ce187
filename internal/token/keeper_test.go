package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// create makes a token for a test.
func create(t testing.TB, k *Keeper, spec inspect.TokenSpec) (*inspect.Token, inspect.TokenSecret) {
	t.Helper()
	made, secret, err := k.Create(context.Background(), spec, store.Audit{Actor: "test", Address: "192.0.2.1", Request: "r1"})
	must(t, err)
	return made, secret
}

// is checks the code of an error, "" for none.
func is(t testing.TB, err error, code task.Code) {
	t.Helper()
	if code == "" && err != nil || code != "" && !errors.Is(err, &task.Error{Code: code}) {
		t.Errorf("error %v, want code %q", err, code)
	}
}

func TestTokenIsKnownUntilItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, backend := context.Background(), memory.New()
		here, there := NewKeeper(backend), NewKeeper(backend)
		if required, err := here.Required(ctx); required || err != nil {
			t.Errorf("required %v before the first token: %v", required, err)
		}
		_, brief := create(t, here, inspect.TokenSpec{Name: "brief", Role: inspect.Viewer, TTL: time.Hour})
		made, secret := create(t, here, inspect.TokenSpec{Name: "long", Role: inspect.Operator, Queues: []string{"b", "a", "b"}})
		if required, err := here.Required(ctx); !required || err != nil {
			t.Errorf("required %v: %v", required, err)
		}
		got, err := there.Check(ctx, secret.Reveal())
		must(t, err)
		if got.ID != made.ID || got.Role != inspect.Operator || fmt.Sprint(got.Queues) != "[a b]" || got.Covers("c") || !got.Covers("a") {
			t.Errorf("token %+v", got)
		}
		for _, wrong := range []string{"", "x", secret.Reveal() + "a", secret.Reveal()[:60], strings.ToUpper(secret.Reveal()),
			strings.Replace(secret.Reveal(), made.ID, strings.Repeat("a", 8), 1), brief.Reveal()[:14] + secret.Reveal()[14:]} {
			if wrong != secret.Reveal() {
				_, err := there.Check(ctx, wrong)
				is(t, err, task.CodeUnauthenticated)
			}
		}
		_, err = there.Check(ctx, brief.Reveal())
		is(t, err, "")
		time.Sleep(time.Hour)
		_, err = there.Check(ctx, brief.Reveal())
		is(t, err, task.CodeUnauthenticated)
		_, err = there.Check(ctx, secret.Reveal())
		must(t, err)
		_, err = here.Revoke(ctx, made.ID, store.Audit{Actor: "test"})
		must(t, err)
		_, err = here.Check(ctx, secret.Reveal())
		is(t, err, task.CodeUnauthenticated)
		time.Sleep(2 * time.Second)
		_, err = there.Check(ctx, secret.Reveal())
		is(t, err, task.CodeUnauthenticated)
		again, err := there.Revoke(ctx, made.ID, store.Audit{Actor: "other"})
		if err != nil || again.RevokedBy != "test" {
			t.Errorf("revoked again: %+v, %v", again, err)
		}
		if required, _ := there.Required(ctx); !required {
			t.Error("no token is required after the last was revoked")
		}
		_, err = here.Revoke(ctx, "none", store.Audit{})
		is(t, err, task.CodeNotFound)
	})
}

// faulty is a store that can be cut off.
type faulty struct {
	Backend
	down  atomic.Bool
	hangs atomic.Bool
	reads atomic.Int64
}

func (f *faulty) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	f.reads.Add(1)
	if f.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if f.down.Load() {
		return nil, errors.New("down")
	}
	return f.Backend.Objects(ctx, kind)
}

func TestOutageOfTheStoreNeverOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, backend := context.Background(), &faulty{Backend: memory.New()}
		_, secret := create(t, NewKeeper(backend), inspect.TokenSpec{Name: "n", Role: inspect.Viewer})
		k, late := NewKeeper(backend), NewKeeper(backend)
		_, err := k.Check(ctx, secret.Reveal())
		must(t, err)
		backend.down.Store(true)
		time.Sleep(20 * time.Second)
		_, err = k.Check(ctx, secret.Reveal()) // what was known holds for 30 s
		is(t, err, "")
		_, err = k.Check(ctx, "x")
		is(t, err, task.CodeUnauthenticated)
		if required, err := late.Required(ctx); !required {
			t.Error("a node that never reached the store lets everybody in")
		} else {
			is(t, err, task.CodeUnavailable)
		}
		time.Sleep(10 * time.Second)
		_, err = k.Check(ctx, secret.Reveal())
		is(t, err, task.CodeUnavailable)
		if required, _ := k.Required(ctx); !required {
			t.Error("no token is required after a long outage")
		}
		before := backend.reads.Load()
		for range 100 {
			_, err = k.Check(ctx, secret.Reveal())
			is(t, err, task.CodeUnavailable)
		}
		if reads := backend.reads.Load() - before; reads > 1 {
			t.Errorf("%d reads of a store that does not answer", reads)
		}
		backend.down.Store(false)
		time.Sleep(time.Second)
		_, err = k.Check(ctx, secret.Reveal())
		is(t, err, "")
	})
}

func TestHangingStoreHoldsRequestsUpForTwoSecondsAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := &faulty{Backend: memory.New()}
		_, secret := create(t, NewKeeper(backend), inspect.TokenSpec{Name: "n", Role: inspect.Viewer})
		backend.hangs.Store(true)
		k := NewKeeper(backend)
		began, ended := time.Now(), make(chan error)
		for range 50 {
			go func() {
				_, err := k.Check(context.Background(), secret.Reveal())
				ended <- err
			}()
		}
		for range 50 {
			is(t, <-ended, task.CodeUnavailable)
		}
		if took := time.Since(began); took > readTimeout {
			t.Errorf("it took %s", took)
		}
	})
}

func TestRequestsShareReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := &faulty{Backend: memory.New()}
		_, secret := create(t, NewKeeper(backend), inspect.TokenSpec{Name: "n", Role: inspect.Viewer})
		k := NewKeeper(backend)
		backend.reads.Store(0)
		for range 1000 {
			_, err := k.Check(context.Background(), secret.Reveal())
			must(t, err)
			time.Sleep(10 * time.Millisecond)
		}
		if reads := backend.reads.Load(); reads > 21 {
			t.Errorf("%d readings in 10 s", reads)
		}
	})
}

func TestNothingShowsTheSecret(t *testing.T) {
	backend := memory.New()
	k := NewKeeper(backend)
	made, secret := create(t, k, inspect.TokenSpec{Name: "n", Role: inspect.Admin})
	_, err := k.Revoke(context.Background(), made.ID, store.Audit{Actor: "test"})
	must(t, err)
	hidden := secret.Reveal()[len(prefix)+idLength+1:]
	shown, err := json.Marshal(secret)
	must(t, err)
	rows, _, err := backend.Audit(context.Background(), store.AuditFilter{}, store.Page{})
	must(t, err)
	objects, err := backend.Objects(context.Background(), "")
	must(t, err)
	versions, err := backend.ObjectVersions(context.Background(), Kind, made.ID, 100)
	must(t, err)
	texts := []string{string(shown), fmt.Sprint(secret), fmt.Sprintf("%v %+v %#v %s %q", secret, secret, secret, secret, secret), secret.(slog.LogValuer).LogValue().String(), fmt.Sprintf("%+v", made)}
	for _, row := range rows {
		texts = append(texts, fmt.Sprintf("%s %s %+v", row.Before, row.After, row))
		if strings.Contains(string(row.Before)+string(row.After), "sha256") {
			t.Errorf("the audit log has the hash: %s", row.After)
		}
	}
	for _, o := range objects {
		texts = append(texts, string(o.Body))
	}
	for _, text := range texts {
		if strings.Contains(text, hidden) {
			t.Errorf("the secret stands in %s", text)
		}
	}
	if len(rows) != 2 || rows[0].Action != "token.revoke" || rows[1].Action != "token.create" || rows[1].Address != "192.0.2.1" || len(versions) != 0 {
		t.Errorf("audit %+v, %d old versions", rows, len(versions))
	}
}

func TestSpecsAreChecked(t *testing.T) {
	k := NewKeeper(memory.New())
	for path, spec := range map[string]inspect.TokenSpec{
		"name":      {Role: inspect.Viewer},
		"role":      {Name: "n", Role: "root"},
		"queues":    {Name: "n", Role: inspect.Admin, Queues: []string{"a"}},
		"queues[1]": {Name: "n", Role: inspect.Viewer, Queues: []string{"a", "b c"}},
		"ttl":       {Name: "n", Role: inspect.Viewer, TTL: -time.Second},
	} {
		_, _, err := k.Create(context.Background(), spec, store.Audit{})
		var invalid *task.Error
		if !errors.As(err, &invalid) || len(invalid.Fields) != 1 || invalid.Fields[0].Path != path || invalid.Hint == "" {
			t.Errorf("%+v: %v, want a complaint at %s", spec, err, path)
		}
	}
	_, _, err := k.Create(context.Background(), inspect.TokenSpec{Name: "a\x1b", Queues: make([]string, 101), TTL: 11 * Longest}, store.Audit{})
	var invalid *task.Error
	if !errors.As(err, &invalid) || len(invalid.Fields) < 4 {
		t.Errorf("all at once: %v", err)
	}
}

func TestEndedTokensAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := NewKeeper(memory.New())
		create(t, k, inspect.TokenSpec{Name: "old", Role: inspect.Viewer, TTL: time.Hour})
		gone, _ := create(t, k, inspect.TokenSpec{Name: "gone", Role: inspect.Viewer})
		_, err := k.Revoke(context.Background(), gone.ID, store.Audit{Actor: "t"})
		must(t, err)
		time.Sleep(KeptEnded + time.Minute)
		create(t, k, inspect.TokenSpec{Name: "new", Role: inspect.Viewer})
		list, err := k.List(context.Background())
		must(t, err)
		if len(list) != 2 || list[0].Name != "new" || list[1].Name != "old" {
			t.Errorf("tokens %+v", list)
		}
	})
}

func TestFailuresAreLimitedInBoundedMemory(t *testing.T) {
	var l Limiter
	now := time.Now()
	here := netip.MustParseAddr("192.0.2.7")
	for range Failures {
		if wait := l.Failed(here, now); wait != 0 {
			t.Fatalf("wait %s", wait)
		}
	}
	if wait := l.Failed(here, now); wait <= 0 || wait > forgiven {
		t.Errorf("wait %s", wait)
	}
	if wait := l.Failed(netip.MustParseAddr("192.0.2.8"), now); wait != 0 {
		t.Errorf("a neighbour waits %s", wait)
	}
	if wait := l.Failed(here, now.Add(forgiven)); wait != 0 {
		t.Errorf("wait %s later", wait)
	}
	six := netip.MustParsePrefix("2001:db8::/64").Addr()
	for i := range 3 * addresses { // one subscriber
		bytes := six.As16()
		bytes[14], bytes[15] = byte(i>>8), byte(i)
		l.Failed(netip.AddrFrom16(bytes), now)
	}
	if len(l.known) != 3 {
		t.Errorf("%d addresses are known", len(l.known))
	}
	limited := 0
	for i := range 3 * addresses {
		if l.Failed(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), now) > 0 {
			limited++
		}
	}
	if len(l.known) > addresses+1 || limited == 0 {
		t.Errorf("%d addresses are known, %d limited", len(l.known), limited)
	}
	if wait := l.Failed(netip.MustParseAddr("198.51.100.1"), now.Add(time.Hour)); wait != 0 || len(l.known) > addresses+1 {
		t.Errorf("after an hour: wait %s", wait)
	}
}

// BenchmarkCheck is what a token costs a request.
func BenchmarkCheck(b *testing.B) {
	k := NewKeeper(memory.New())
	_, secret := create(b, k, inspect.TokenSpec{Name: "n", Role: inspect.Viewer})
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := k.Check(context.Background(), secret.Reveal()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The longest name fits into the audit log, as part of who has acted.
func TestTokensOfLongNamesCanAct(t *testing.T) {
	k := NewKeeper(memory.New())
	made, _ := create(t, k, inspect.TokenSpec{Name: strings.Repeat("😀", 120), Role: inspect.Admin})
	_, err := k.Revoke(context.Background(), made.ID, store.Audit{Actor: made.Actor()})
	must(t, err)
	_, _, err = k.Create(context.Background(), inspect.TokenSpec{Name: strings.Repeat("😀", 128), Role: inspect.Admin}, store.Audit{Actor: "t"})
	is(t, err, task.CodeInvalid)
}
