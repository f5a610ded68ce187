package sealed

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// MaxKeyID is the length of a key's name at most, in bytes.
const MaxKeyID = 64

// Keys are the keys of a deployment by name. The zero value has none: nothing
// is sealed then, and nothing that is sealed is handed out.
type Keys struct {
	// Current names the key that seals. It may be left out if there is one only.
	Current string
	// Secrets are the keys, of 32 random bytes each: the current one, and those
	// that were current and may still be needed to read. Names are 1 to 64
	// letters, digits, dots, underscores and hyphens.
	Secrets map[string][]byte
	// Strict refuses to run tasks whose payload is not sealed. Without it such
	// tasks run, as is needed while those from before the first key are there.
	Strict bool
	// Clear says that new tasks are not sealed: the keys only open what is. It is
	// how sealing is turned off, and how the first key is given to all nodes before
	// any of them seals. Without it a process that has no key does not work on a
	// store in which others seal; see [Store.Admit].
	Clear bool
}

// ParseKey reads a key as people write it: 32 bytes in Base64, padded or not, of
// either alphabet, or in hexadecimal digits; white space around it does not count.
// No error contains the text.
func ParseKey(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if made, err := hex.DecodeString(text); err == nil && len(made) == KeySize {
		return made, nil
	}
	text = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	made, err := base64.RawStdEncoding.DecodeString(text)
	switch {
	case err != nil:
		return nil, errors.New("it is neither Base64 nor hexadecimal digits")
	case len(made) != KeySize:
		return nil, fmt.Errorf("it has %d bytes; %d are needed", len(made), KeySize)
	}
	return made, nil
}

// key is what is derived from one secret.
type key struct {
	id      string
	check   string // tells keys of one name apart, and nothing of them
	tasks   *mac   // gives every task its own key
	nonces  *mac
	content *mac
	objects *mac // vouches for configuration
	prints  *mac // of fingerprints
}

func newKey(id string, secret []byte) (*key, error) {
	k := &key{id: id}
	for purpose, derived := range map[string]**mac{"tasks": &k.tasks, "nonces": &k.nonces, "content": &k.content, "objects": &k.objects, "prints": &k.prints} {
		made, err := hkdf.Key(sha256.New, secret, nil, "outlast sealed 1 "+purpose, sha256.Size)
		if err != nil {
			return nil, err
		}
		*derived = newMAC(made)
	}
	check, err := hkdf.Key(sha256.New, secret, nil, "outlast sealed 1 check", checkSize)
	if err != nil {
		return nil, err
	}
	k.check = hex.EncodeToString(check)
	return k, nil
}

// magic begins whatever is sealed. Versions 1 and 2, which bound less, are not read.
const (
	magic   = store.SealMark + string(rune(version))
	version = 3
)

// overhead is the number of bytes by which sealing makes a text longer at most:
// no more than store.SealRoom.
const overhead = len(magic) + 1 + MaxKeyID + nonceSize + tagSize

const (
	nonceSize = 12
	tagSize   = 16
	checkSize = 16
)

// part says what a text is: whose, and which part of it.
type part struct {
	of   []byte // the id of the task or operation
	name string
	to   []byte // where it goes, see [destination]; nil for what goes nowhere
}

// seal makes a sealed text: magic, name of the key, nonce, ciphertext.
func (k *key) seal(p part, plain []byte) []byte {
	out := make([]byte, 0, overhead+len(plain))
	out = append(append(append(out, magic...), byte(len(k.id))), k.id...)
	head := len(out)
	out = append(out, k.nonce(p, plain)...)
	return k.cipher(p).Seal(out, out[head:], plain, bound(out[:head], p))
}

// open takes a text apart that this key has sealed; head is the length of what
// stands before the nonce.
func (k *key) open(p part, text []byte, head int) ([]byte, bool) {
	if len(text) < head+nonceSize+tagSize {
		return nil, false
	}
	nonce, rest := text[head:head+nonceSize], text[head+nonceSize:]
	plain, err := k.cipher(p).Open(nil, nonce, rest, bound(text[:head], p))
	return plain, err == nil
}

// nonce is synthetic: different for texts that differ.
func (k *key) nonce(p part, plain []byte) []byte {
	sum := k.nonces.of(bound(nil, p), plain)
	return sum[:nonceSize]
}

// cipher is that of one task.
func (k *key) cipher(p part) cipher.AEAD {
	sum := k.tasks.of(p.of)
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has blocks of the right size
	}
	return aead
}

// bound is what a text is bound to. Lengths stand before what they are of, so
// that no two parts look alike.
func bound(head []byte, p part) []byte {
	out := make([]byte, 0, len(head)+len(p.name)+len(p.of)+len(p.to)+16)
	return appendPiece(appendPiece(appendPiece(appendPiece(out, head), p.name), p.of), p.to)
}

func appendPiece[T string | []byte](out []byte, piece T) []byte {
	return append(binary.BigEndian.AppendUint32(out, uint32(len(piece))), piece...)
}

// contentOf is the hash by which dedupe keys compare what was sent, keyed, so
// that who reads the database cannot try what it might be.
func (k *key) contentOf(content [16]byte) (keyed [16]byte) {
	sum := k.content.of(content[:])
	copy(keyed[:], sum[:])
	return keyed
}

// ring is all keys of this process.
type ring struct {
	current *key // nil for none
	signer  *key // that objects are signed with: the current one, or that which is to be
	all     map[string]*key
	strict  bool
	clear   bool // new tasks are not to be sealed
}

func newRing(keys Keys) (*ring, error) {
	if err := keys.check(); err != nil {
		return nil, err
	}
	r := &ring{all: make(map[string]*key, len(keys.Secrets)), strict: keys.Strict, clear: keys.Clear}
	for id, secret := range keys.Secrets {
		made, err := newKey(id, secret)
		if err != nil {
			return nil, err
		}
		r.all[id] = made
		if id == keys.Current || len(keys.Secrets) == 1 {
			r.signer = made
		}
	}
	if !keys.Clear {
		r.current = r.signer
	}
	return r, nil
}

// check names every mistake in the keys, and shows none of them.
func (k Keys) check() error {
	problem := &task.Error{Code: task.CodeInvalid, Message: "the encryption keys are not usable",
		Hint: "a key is 32 random bytes under a name: openssl rand -base64 32"}
	refuse := func(path, message string) {
		problem.Fields = append(problem.Fields, task.Field{Path: path, Message: message})
	}
	for _, id := range slices.Sorted(maps.Keys(k.Secrets)) {
		secret := k.Secrets[id]
		switch path := "encryption.keys." + id; {
		case !IsKeyName(id):
			refuse("encryption.keys", task.Quote(id)+" is not 1 to 64 letters, digits, dots, underscores and hyphens")
		case len(secret) != KeySize:
			refuse(path, "has "+strconv.Itoa(len(secret))+" bytes; 32 are needed")
		case bytes.Count(secret, secret[:1]) == len(secret):
			refuse(path, "is one byte again and again")
		}
	}
	switch _, known := k.Secrets[k.Current]; {
	case k.Current != "" && !known:
		refuse("encryption.key", "there is no key "+task.Quote(k.Current))
	case k.Current == "" && len(k.Secrets) > 1 && !k.Clear:
		refuse("encryption.key", "which of the keys seals is not said")
	case k.Strict && len(k.Secrets) == 0:
		refuse("encryption.strict", "there is no key")
	case k.Strict && k.Clear:
		refuse("encryption.clear", "new tasks would not be sealed, and strict runs only what is")
	}
	if len(problem.Fields) > 0 {
		return problem
	}
	return nil
}

// IsKeyName reports whether a key can have the name.
func IsKeyName(id string) bool {
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return id != "" && len(id) <= MaxKeyID
}

// undecryptable is why a text does not open. It is also the class and the code
// of the failure that is recorded.
type undecryptable struct {
	key    string // "" for none
	reason string
}

func (u *undecryptable) Error() string { return u.reason }

// sealedWith stands before the name of the key in every reason that names one.
const sealedWith = "it is sealed with the key "

// Reasons that name no key.
const (
	cutShort    = "it is sealed, and cut short"
	unknownForm = "it is sealed in a form that this release does not know: damaged, or made by another one"
)

// open returns what a sealed text says, and one that is not sealed as it is.
func (r *ring) open(p part, text []byte) ([]byte, error) {
	if !store.IsSealed(text) {
		return text, nil
	}
	if len(text) < len(magic) {
		return nil, &undecryptable{reason: cutShort}
	}
	if text[len(store.SealMark)] != version {
		return nil, &undecryptable{reason: unknownForm}
	}
	rest := text[len(magic):]
	if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
		return nil, &undecryptable{reason: cutShort}
	}
	id := string(rest[1 : 1+rest[0]])
	k := r.all[id]
	if k == nil {
		return nil, &undecryptable{id, sealedWith + task.Quote(id) + ", which this process does not have"}
	}
	plain, ok := k.open(p, text, len(magic)+1+len(id))
	if !ok {
		return nil, &undecryptable{id, sealedWith + task.Quote(id) +
			" and does not open: that name has another key here, or it was changed, or belongs to another task, target or policy"}
	}
	return plain, nil
}
