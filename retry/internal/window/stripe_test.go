package window

import (
	"sync"
	"testing"
)

// Goroutines that are alive together do not all count in the same place.
func TestStripesSpread(t *testing.T) {
	var mu sync.Mutex
	var all sync.WaitGroup
	used, release := make(map[int]int), make(chan struct{})
	for range 64 {
		all.Add(1)
		go func() {
			s := stripe()
			mu.Lock()
			used[s]++
			mu.Unlock()
			all.Done()
			<-release
		}()
	}
	all.Wait()
	close(release)
	for s, n := range used {
		if s < 0 || s >= stripes || n > 40 {
			t.Errorf("stripe %d is used by %d of 64", s, n)
		}
	}
	if len(used) < stripes/2 {
		t.Errorf("%d of %d stripes are used", len(used), stripes)
	}
}
