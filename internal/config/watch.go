package config

import (
	"os"
	"time"
)

// Look is how often a file is looked at.
const Look = time.Second

// stamp is what tells that a file may have changed. A symbolic link that is turned
// to another file, as Kubernetes does, changes it too.
type stamp struct {
	size     int64
	modified time.Time
	info     os.FileInfo
}

// Watcher tells that a file has changed since it was looked at last. It is not safe
// for concurrent use.
type Watcher struct {
	path string
	last stamp
}

// Watch begins with the file as it is now.
func Watch(path string) *Watcher {
	w := &Watcher{path: path}
	w.Changed()
	return w
}

// Changed reports whether the file has changed since the last call. A file that is
// gone, as it is for a moment while it is replaced, has not.
func (w *Watcher) Changed() bool {
	info, err := os.Stat(w.path)
	if err != nil {
		return false
	}
	now := stamp{info.Size(), info.ModTime(), info}
	before := w.last
	w.last = now
	return before.info == nil || before.size != now.size || !before.modified.Equal(now.modified) || !os.SameFile(before.info, now.info)
}
