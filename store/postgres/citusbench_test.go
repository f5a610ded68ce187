package postgres_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// BenchmarkCitus burns tasks down, inserted before, in batches of 1000 over 16
// lanes from four goroutines: in a schema of the coordinator alone, and in one
// that is distributed. Nothing of the engine is in it.
func BenchmarkCitus(b *testing.B) {
	url := os.Getenv("OUTLAST_CITUS_DSN")
	if url == "" {
		b.Skip("OUTLAST_CITUS_DSN names no coordinator of Citus")
	}
	for _, spread := range []bool{false, true} {
		name := map[bool]string{false: "alone", true: "distributed"}[spread]
		b.Run(name, func(b *testing.B) { burn(b, and(url, "pool_max_conns=32"), spread) })
	}
}

const burnt = 20_000

func burn(b *testing.B, url string, spread bool) {
	name := "outlast_bench" + time.Now().Format("150405.000000")
	s, err := postgres.OpenURL(b.Context(), url, postgres.WithSchema(name))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	dropLater(b, url, name)
	if spread {
		if _, err := s.Distribute(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	q, err := s.PutQueue(b.Context(), store.Queue{Name: "q", Lanes: 16})
	if err != nil {
		b.Fatal(err)
	}
	var lanes []store.LaneEpoch
	for _, lane := range q.Numbers {
		lanes = append(lanes, store.LaneEpoch{Lane: lane})
	}
	if err := s.Join(b.Context(), store.Node{ID: "n"}); err != nil {
		b.Fatal(err)
	}
	if lanes, err = s.TakeLanes(b.Context(), "n", lanes); err != nil {
		b.Fatal(err)
	}
	var inserting, burning time.Duration
	for b.Loop() {
		began := time.Now()
		batches := insertBurnt(b, s, q.Numbers)
		inserted := time.Now()
		burnDown(b, s, lanes, batches)
		inserting, burning = inserting+inserted.Sub(began), burning+time.Since(inserted)
	}
	b.ReportMetric(burnt*float64(b.N)/inserting.Seconds(), "inserts/s")
	b.ReportMetric(burnt*float64(b.N)/burning.Seconds(), "tasks/s")
}

func insertBurnt(b *testing.B, s *postgres.Store, lanes []uint16) (batches [][]task.ID) {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for range burnt / 1000 {
		var batch store.Batch
		var ids []task.ID
		for i := range 1000 {
			id := task.NewID(time.Now(), random).WithLane(lanes[i%len(lanes)])
			ids = append(ids, id)
			batch.Items = append(batch.Items, store.Insert{Task: &task.Task{ID: id, Queue: "q", Type: "t", Payload: []byte("0123456789")}})
		}
		if _, err := s.Enqueue(b.Context(), []store.Batch{batch}); err != nil {
			b.Fatal(err)
		}
		batches = append(batches, ids)
	}
	return batches
}

func burnDown(b *testing.B, s *postgres.Store, lanes []store.LaneEpoch, batches [][]task.ID) {
	var all sync.WaitGroup
	for part := range slices.Chunk(batches, (len(batches)+3)/4) {
		all.Go(func() {
			for _, ids := range part {
				claim := store.Claim{Node: "n", Lanes: lanes}
				for _, id := range ids {
					claim.Items = append(claim.Items, store.ClaimItem{ID: id})
				}
				claimed, err := s.Claim(b.Context(), claim)
				if err != nil || len(claimed.Tasks) != len(ids) {
					b.Errorf("claimed %d of %d: %v", len(claimed.Tasks), len(ids), err)
					return
				}
				if _, err := s.Settle(b.Context(), settlements(claimed.Tasks, task.OutcomeSucceeded)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}
