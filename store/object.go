package store

import "time"

// Limits of objects and changes.
const (
	MaxObject     = 64 << 10       // bytes of a body
	MaxChange     = 1000           // objects that one change puts and deletes
	MostVersions  = 100            // that are kept of an object
	ChangeMemory  = 24 * time.Hour // how long the ID of a change is known
	MaxObjectKind = 64             // bytes
	MaxObjectName = 512            // bytes
)

// Object is one named piece of configuration: a policy, a schedule, an alert
// rule, a channel, a token and the like.
type Object struct {
	Kind    string // "policy", "schedule", "rule", ...: at most 64 bytes
	Name    string // unique within the kind, byte for byte: at most 512 bytes of UTF-8 without NUL
	Body    []byte // JSON, at most 64 KiB, kept as it is: the store does not look into it
	Managed string // "file" when the configuration file owns it, "code" when that of an application put it, else ""
	Actor   string // who made this version
	// Version is raised by one with every change. It begins at 1, or, where
	// versions of an object of the name are kept, after the last of them.
	Version   int64
	UpdatedAt Time // set by the store
	// Doubt is why nobody can vouch for the object, set by a wrapper that
	// authenticates objects: it has no Body then, and is not to be used. Whoever puts
	// another in its place goes by its Version as ever.
	Doubt error
}

// Change is applied as a whole, in one transaction, or not at all.
type Change struct {
	// ID makes a change of unknown outcome repeatable: a change with the ID of
	// one that was applied in the last 24 hours does nothing and is answered as
	// that one was. At most 128 bytes; without one, see [Config.Change].
	ID      string
	Put     []Object // each only if the stored Version is its own; with Version 0 only if there is none
	Delete  []Object // by Kind, Name and Version; Actor is who does it
	Audit   []Audit  // rows of the audit log
	Enqueue []Batch  // tasks that exist exactly if the change does
	// Quiet is for state that changes often, such as the next tick of a
	// schedule: no old versions are kept and Topology.Config is not raised.
	Quiet bool
	// Sign, if it is not nil, returns the body that is kept of an object that is put,
	// once its Version is known. It is called inside the transaction, for a repeated one
	// again, and must not block.
	Sign func(o *Object) []byte
}

// Changed is what a change has done.
type Changed struct {
	Put []Object // as stored, in the order of Change.Put
	// Results has one for each batch, none of them with an error; nil if the
	// change had been applied before, by its ID.
	Results []BatchResult
	// Repeated says that the ID of the change was known, and nothing was done.
	Repeated bool
}

// Audit is one row of the audit log: who did what to what, with before and
// after.
type Audit struct {
	ID      string // made by the store; later rows have greater ones
	At      Time   // set by the store
	Actor   string // token id and name, "cli", "file", "library", ...
	Address string // of the caller, if any
	Action  string // "policy.put", "dead.redrive", ...
	Subject string // "policy/payment"
	Before  []byte // JSON without secrets, nil for none; at most 64 KiB, as After
	After   []byte
	Request string // request id
}

// AuditFilter selects rows of the audit log. Zero fields do not filter.
type AuditFilter struct {
	Actor   string
	Action  string // "policy.put", or "policy." for all that begins so
	Subject string // "policy/payment", or "policy/" for all that begins so
	Since   Time   // at or after
	Until   Time   // before
}
