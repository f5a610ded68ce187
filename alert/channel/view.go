package channel

import "time"

// View is a channel with where it comes from.
type View struct {
	Spec
	Managed   string // "file", "option" of a Go function, or ""
	Actor     string
	Version   int64
	UpdatedAt time.Time
	Usable    bool   // this node can send to it
	Problem   string // why it cannot, or why the last message of this node was not delivered
}
