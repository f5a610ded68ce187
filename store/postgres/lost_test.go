package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// A claim whose answer is lost has claimed nothing, or says that its outcome is
// unknown, or was repeated and returns what it has claimed: never does it say that
// somebody else has the row.
func TestAClaimWhoseAnswerIsLostDoesNotSayThatNothingWasClaimed(t *testing.T) {
	url := database(t)
	address := strings.SplitN(url, "@", 2)[1]
	address, _, _ = strings.Cut(address, "/")
	proxy := servertest.NewLossy(t, address)
	config, err := pgxpool.ParseConfig(strings.Replace(url, address, proxy.Addr(), 1))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1 // the statements are prepared after the first claim
	p, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := postgres.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q, err := s.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Join(t.Context(), store.Node{ID: "n", Serves: store.Serves{"q": {AnyType: true}}}); err != nil {
		t.Fatal(err)
	}
	taken, err := s.TakeLanes(t.Context(), "n", []store.LaneEpoch{{Lane: q.Numbers[0]}})
	if err != nil || len(taken) != 1 {
		t.Fatal(taken, err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	insert := func() task.ID {
		one := &task.Task{ID: task.NewID(time.Now(), random).WithLane(q.Numbers[0]), Queue: "q", Type: "t", Payload: []byte("{}")}
		results, err := s.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{{Task: one}}}})
		if err != nil || results[0].Err != nil {
			t.Fatal(results, err)
		}
		return one.ID
	}
	claim := func(id task.ID) (store.Claimed, error) {
		return s.Claim(t.Context(), store.Claim{Node: "n", Lanes: taken, Items: []store.ClaimItem{{ID: id}}})
	}
	unknown := 0
	for n := range 2 {
		first, second := insert(), insert()
		if claimed, err := claim(first); err != nil || len(claimed.Tasks) != 1 {
			t.Fatal(claimed, err) // everything is prepared now
		}
		proxy.Lose(n + 1)
		claimed, err := claim(second)
		proxy.Lose(0)
		rows, readErr := s.Running(t.Context(), "n", []task.ID{second})
		if readErr != nil {
			t.Fatal(readErr)
		}
		said := fmt.Sprintf("answer %d lost: the claim says %+v, %v; %d rows run", n+1, claimed, err, len(rows))
		if err != nil {
			unknown++
		} else if len(claimed.Tasks) != len(rows) {
			t.Error(said)
		}
		t.Log(said)
	}
	if unknown != 1 {
		t.Errorf("%d answers were lost", unknown)
	}
}
