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
	"strings"

	"github.com/outlast-dev/outlast/inspect"
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

// row is how a token is kept.
type row struct {
	inspect.Token
	Hash string `json:"sha256"`
}

// NewID makes an id for [inspect.TokenSpec.ID].
func NewID() string {
	var data [idBytes]byte
	_, _ = rand.Read(data[:]) // it never fails
	return encoding.EncodeToString(data[:])
}

// generate makes the id, unless one is given, and the text of a new token.
func generate(random io.Reader, given string) (id string, text inspect.TokenSecret, err error) {
	var data [idBytes + secretSize]byte
	if _, err := io.ReadFull(random, data[:]); err != nil {
		return "", nil, fmt.Errorf("token: no random bytes: %w", err)
	}
	id = cmp.Or(given, encoding.EncodeToString(data[:idBytes]))
	return id, secret{prefix + id + "_…", prefix + id + "_" + encoding.EncodeToString(data[idBytes:])}, nil
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
