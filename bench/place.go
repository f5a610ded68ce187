package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver of store/sqlite

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
)

// place is where a store is, empty when made.
type place struct {
	url    string
	dir    string        // "" when nothing is on disk
	memory *memory.Store // kept between nodes, since nothing else keeps it
}

func checkStore(url string) error {
	if url != "sqlite:" && url != "memory:" {
		return usage("--store is sqlite: or memory:, not %q; other stores come later", url)
	}
	return nil
}

func newPlace(url, under string) (place, error) {
	if url == "memory:" {
		return place{url: url, memory: memory.New()}, nil
	}
	dir, err := os.MkdirTemp(under, "outlast-bench-")
	if err != nil {
		return place{}, err
	}
	return place{url: "sqlite:" + filepath.Join(dir, "bench.db"), dir: dir}, nil
}

// onDisk reports whether other processes can open the place.
func (p place) onDisk() bool { return p.dir != "" }

func (p place) remove() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

// open opens Outlast's store.
func (p place) open(ctx context.Context) (store.Backend, error) {
	if p.memory != nil {
		return keptOpen{p.memory}, nil
	}
	return sqlite.Open(ctx, strings.TrimPrefix(p.url, "sqlite:"))
}

// keptOpen is a store in memory that outlives its nodes.
type keptOpen struct{ *memory.Store }

func (keptOpen) Close() error { return nil }
