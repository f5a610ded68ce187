package token

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Kind is that of the objects that tokens are kept as.
const Kind = "token"

// The form of a token: olt_<id>_<secret>.
const (
	prefix     = "olt_"
	idBytes    = 5  // 8 characters
	secretSize = 32 // bytes, 52 characters
)

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

var (
	idLength     = encoding.EncodedLen(idBytes)
	secretLength = encoding.EncodedLen(secretSize)
	textLength   = len(prefix) + idLength + 1 + secretLength
)

// Token is what is known of a token beside its secret.
type Token struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	Queues    []string  `json:"queues,omitempty"` // all when empty
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by,omitempty"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // never when zero
	RevokedAt time.Time `json:"revoked_at,omitzero"`
	RevokedBy string    `json:"revoked_by,omitempty"`
}

// Prefix is what the text of the token begins with. It is no secret.
func (t *Token) Prefix() string { return prefix + t.ID }

// State says whether a token is good.
type State string

// The states of a token.
const (
	Live    State = "live"
	Expired State = "expired"
	Revoked State = "revoked"
)

// State is that at a time.
func (t *Token) State(now time.Time) State {
	switch {
	case !t.RevokedAt.IsZero():
		return Revoked
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return Expired
	}
	return Live
}

// Scoped reports whether the token is for certain queues only.
func (t *Token) Scoped() bool { return len(t.Queues) > 0 }

// Covers reports whether the token is for a queue.
func (t *Token) Covers(queue string) bool { return !t.Scoped() || slices.Contains(t.Queues, queue) }

// Actor is how the audit log names the bearer: id and name.
func (t *Token) Actor() string { return "token " + t.ID + " (" + t.Name + ")" }

// Secret is the text of a token that its bearer sends. It shows itself only to
// [Secret.Reveal]: logs, errors and JSON get its id.
type Secret struct{ text string }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// String shows which token it is, and no secret.
func (s Secret) String() string {
	if id, ok := idOf(s.text); ok {
		return prefix + id + "_…"
	}
	return "(no token)"
}

// GoString implements [fmt.GoStringer] as [Secret.String].
func (s Secret) GoString() string { return s.String() }

// MarshalText implements [encoding.TextMarshaler] as [Secret.String].
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue implements [slog.LogValuer] as [Secret.String].
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// row is how a token is kept.
type row struct {
	Token
	Hash string `json:"sha256"`
}

// NewID makes an id for [Spec.ID].
func NewID() string {
	var data [idBytes]byte
	_, _ = rand.Read(data[:]) // it never fails
	return encoding.EncodeToString(data[:])
}

// generate makes the id, unless one is given, and the text of a new token.
func generate(random io.Reader, given string) (id string, secret Secret, err error) {
	var data [idBytes + secretSize]byte
	if _, err := io.ReadFull(random, data[:]); err != nil {
		return "", Secret{}, fmt.Errorf("token: no random bytes: %w", err)
	}
	id = cmp.Or(given, encoding.EncodeToString(data[:idBytes]))
	return id, Secret{prefix + id + "_" + encoding.EncodeToString(data[idBytes:])}, nil
}

// isID reports whether a text has the form of an id.
func isID(text string) bool {
	data, err := encoding.DecodeString(text)
	return err == nil && len(data) == idBytes && encoding.EncodeToString(data) == text
}

// idOf takes the id out of a text that has the form of a token.
func idOf(text string) (string, bool) {
	if len(text) != textLength || !strings.HasPrefix(text, prefix) || text[len(prefix)+idLength] != '_' {
		return "", false
	}
	return text[len(prefix) : len(prefix)+idLength], true
}

func hashOf(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }

// is compares in constant time.
func (r *row) is(text string) bool {
	given, kept := hashOf(text), [sha256.Size]byte{}
	if n, err := hex.Decode(kept[:], []byte(r.Hash)); err != nil || n != len(kept) {
		return false
	}
	return subtle.ConstantTimeCompare(given[:], kept[:]) == 1
}

func readRow(body []byte) (*row, error) {
	r := &row{}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, fmt.Errorf("token: a kept token cannot be read: %w", err)
	}
	if len(r.Hash) != hex.EncodedLen(sha256.Size) {
		return nil, fmt.Errorf("token: the kept token %q has no hash", r.ID)
	}
	return r, nil
}
