package sealed

import (
	"bytes"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// An object is kept with a proof that somebody who has the key has put it there: an
// HMAC of its kind, name, owner, version and body. The form is
//
//	{"proof":"1:KEY:HMAC","body":BODY}
const (
	proofHead = `{"proof":"1:`
	proofBody = `","body":`
	proofTail = `}`
)

// KindKey is the kind of the objects by which a store remembers the keys that it
// was sealed with. Their names are those of the keys.
const KindKey = "encryption.key"

// figures are the kinds that only say what was counted or seen. Nothing goes by them, they are
// large, and they are not signed.
var figures = []string{"stats", "stats.series", "target.history", "alert.rates", "node.workers"}

// steering are the kinds that people put and that decide what nodes do. Their versions
// only grow, also when an object is deleted and put again.
var steering = []string{"token", "channel", "rule", "silence", "policy", "type", "setting", "target", "queue", "group", "schedule"}

// signed reports whether objects of a kind are.
func signed(kind string) bool { return kind != KindKey && !slices.Contains(figures, kind) }

// unproven is why an object is not used.
type unproven struct{ reason string }

func (u *unproven) Error() string { return u.reason }

// Why nobody vouches for an object.
const (
	notSigned   = "it is not authenticated: it was put without the encryption key"
	badProof    = "its proof is wrong: it was changed in the database, or is another object's or another version's"
	wentBack    = "it is an earlier version than this process has seen"
	unknownSign = "it is authenticated with the key "
)

// sign is the body of an object as it is kept. It is a [store.Change.Sign].
func (k *key) sign(o *store.Object) []byte {
	if !signed(o.Kind) {
		return o.Body
	}
	proof := k.proof(o, o.Body)
	out := make([]byte, 0, len(proofHead)+len(k.id)+len(proof)*2+len(proofBody)+len(o.Body)+len(proofTail))
	out = append(append(append(out, proofHead...), k.id...), ':')
	out = base64.RawStdEncoding.AppendEncode(out, proof[:])
	return append(append(append(out, proofBody...), o.Body...), proofTail...)
}

func (k *key) proof(o *store.Object, body []byte) [32]byte {
	head := appendPiece(appendPiece(appendPiece(appendPiece(nil, o.Kind), o.Name), o.Managed), o.Actor)
	return k.objects.of(binary.BigEndian.AppendUint64(head, uint64(o.Version)), body) //nolint:gosec // versions are not negative
}

// parted takes a body apart that was signed; found is false for any other.
func parted(kept []byte) (key, proof string, body []byte, found bool) {
	rest, found := bytes.CutPrefix(kept, []byte(proofHead))
	if !found {
		return "", "", kept, false
	}
	head, rest, found := bytes.Cut(rest, []byte(proofBody))
	name, text, colon := bytes.Cut(head, []byte(":"))
	body, whole := bytes.CutSuffix(rest, []byte(proofTail))
	if !found || !colon || !whole {
		return "", "", kept, false
	}
	return string(name), string(text), body, true
}

// prove takes the proof off an object that was read. Where this process seals, one that
// nobody vouches for loses its body. It returns whose proof it was, nil for nobody's.
func (r *ring) prove(o *store.Object) (by *key) {
	if !signed(o.Kind) || len(o.Body) == 0 {
		return nil
	}
	id, text, body, found := parted(o.Body)
	o.Body = body
	switch by = r.all[id]; {
	case !found:
		o.Doubt, by = &unproven{notSigned}, nil
	case by == nil:
		o.Doubt = &unproven{unknownSign + task.Quote(id) + ", which this process does not have"}
	default:
		proof := by.proof(o, body)
		if !hmac.Equal([]byte(text), base64.RawStdEncoding.AppendEncode(nil, proof[:])) {
			o.Doubt, by = &unproven{badProof}, nil
		}
	}
	if r.current == nil {
		o.Doubt = nil // as long as not all nodes sign, nobody can tell
	}
	if o.Doubt != nil {
		o.Body = nil
	}
	return by
}
