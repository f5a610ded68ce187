package gather

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// record commits when it is let, and keeps what it was given.
type record struct {
	let chan struct{} // nil for at once

	mu      sync.Mutex
	batches [][]int
}

func (r *record) commit(batch []int) {
	r.mu.Lock()
	r.batches = append(r.batches, slices.Clone(batch))
	r.mu.Unlock()
	if r.let != nil {
		<-r.let
	}
}

func (r *record) check(t *testing.T, want ...[]int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.EqualFunc(r.batches, want, slices.Equal) {
		t.Errorf("commits %v, want %v", r.batches, want)
	}
}

func put(t *testing.T, g *Group[int], want Refusal, items ...int) {
	t.Helper()
	for _, item := range items {
		if got := g.Put(item, Weight{Items: 1, Bytes: item}); got != want {
			t.Errorf("%d: %d, want %d", item, got, want)
		}
	}
}

// What is handed in while a commit is under way is the next one, up to the most of one; a
// single item may be more.
func TestNextCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &record{let: make(chan struct{})}
		g := New(Config[int]{Commit: r.commit, Most: Weight{Items: 3, Bytes: 100}})
		go g.Run()
		put(t, g, Taken, 1)
		synctest.Wait()
		put(t, g, Taken, 2, 3, 4, 5, 60, 41, 101, 6)
		synctest.Wait()
		r.check(t, []int{1})
		close(r.let)
		g.Close()
		r.check(t, []int{1}, []int{2, 3, 4}, []int{5, 60}, []int{41}, []int{101}, []int{6})
	})
}

// A queue that is full takes nothing, until what waits has gone; an item that is too large
// for it is taken where nothing waits.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &record{let: make(chan struct{})}
		g := New(Config[int]{Commit: r.commit, Most: Weight{Items: 9, Bytes: 1000}, Queue: Weight{Items: 2, Bytes: 50}})
		go g.Run()
		put(t, g, Taken, 1)
		synctest.Wait()
		put(t, g, Taken, 500)
		put(t, g, IsFull, 2)
		r.let <- struct{}{}
		synctest.Wait()
		put(t, g, Taken, 20, 30)
		put(t, g, IsFull, 3)
		close(r.let)
		g.Close()
		r.check(t, []int{1}, []int{500}, []int{20, 30})
	})
}

// What nobody waits for any more is left out, and leaves room.
func TestDrop(t *testing.T) {
	r := &record{}
	g := New(Config[int]{Commit: r.commit, Most: Weight{Items: 2, Bytes: 1000}, Drop: func(item int) bool { return item%2 == 0 }})
	put(t, g, Taken, 1, 2, 4, 3, 6)
	go g.Run()
	g.Close()
	r.check(t, []int{1, 3})
}

// Commits that are full go on beside others, so many and no more.
func TestApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &record{let: make(chan struct{})}
		g := New(Config[int]{Commit: r.commit, Most: Weight{Items: 1, Bytes: 1000}, Apart: 2})
		put(t, g, Taken, 1, 2, 3, 4)
		go g.Run()
		synctest.Wait()
		r.mu.Lock()
		if len(r.batches) != 2 {
			t.Errorf("%d commits beside one another, want 2", len(r.batches))
		}
		r.mu.Unlock()
		close(r.let)
		g.Close()
		if all := slices.Sorted(slices.Values(slices.Concat(r.batches...))); !slices.Equal(all, []int{1, 2, 3, 4}) {
			t.Error(all)
		}
	})
}

// Close waits for what was handed in, and nothing is taken after it.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &record{let: make(chan struct{})}
		g := New(Config[int]{Commit: r.commit, Most: Weight{Items: 9, Bytes: 1000}})
		go g.Run()
		put(t, g, Taken, 1)
		synctest.Wait()
		put(t, g, Taken, 2)
		closed := make(chan struct{})
		go func() {
			g.Close()
			close(closed)
		}()
		synctest.Wait()
		put(t, g, IsClosed, 3)
		r.let <- struct{}{}
		synctest.Wait()
		select {
		case <-closed:
			t.Error("the last commit is under way")
		default:
		}
		r.let <- struct{}{}
		<-closed
		r.check(t, []int{1}, []int{2})
	})
}

// Close waits for commits that go on beside others too.
func TestCloseApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let, closed := make(chan struct{}), make(chan struct{})
		g := New(Config[int]{Most: Weight{Items: 1, Bytes: 1000}, Apart: 1, Commit: func(batch []int) {
			if batch[0] == 1 {
				<-let
			}
		}})
		put(t, g, Taken, 1, 2)
		go g.Run()
		go func() {
			g.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("a commit is under way")
		default:
		}
		close(let)
		<-closed
	})
}
