// Package cursor is where a page of a list ended, as text for people to pass on.
package cursor

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/outlast-dev/outlast/task"
)

// Place is where something stands in a list: by its time in µs, which is 0 in lists that
// are in the order of ids, and then by its id.
type Place struct {
	At int64
	ID task.ID
}

// IsZero reports whether there is no place.
func (p Place) IsZero() bool { return p == Place{} }

// Compare is negative if p is older than other.
func (p Place) Compare(other Place) int {
	return cmp.Or(cmp.Compare(p.At, other.At), p.ID.Compare(other.ID))
}

// A cursor is base64 of: version, the place after which the page begins, and a
// checksum over both and the filter, so that a cursor of another filter or
// one that was tampered with is refused.
const (
	byID   = 1 // id
	byTime = 2 // time, id
)

// Encode makes the cursor of a list with the filter.
func Encode(after Place, filter string) string {
	raw := []byte{byID}
	if after.At != 0 {
		raw = binary.BigEndian.AppendUint64([]byte{byTime}, uint64(after.At))
	}
	raw = append(raw, after.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, sum(raw, filter)...))
}

// Decode reads a cursor that Encode made for the same filter; CodeInvalid for
// others.
func Decode(text, filter string) (after Place, err error) {
	bad := task.Invalid("cursor", "it is not a cursor of this list", "pass the next of the page before, with the same filter")
	raw, decodeErr := base64.RawURLEncoding.Strict().DecodeString(text)
	if decodeErr != nil || base64.RawURLEncoding.EncodedLen(len(raw)) != len(text) || len(raw) < 5 {
		return after, bad
	}
	place, check := raw[:len(raw)-4], raw[len(raw)-4:]
	switch {
	case string(sum(place, filter)) != string(check):
		return after, bad
	case place[0] == byID && len(place) == 17:
	case place[0] == byTime && len(place) == 25:
		after.At = int64(binary.BigEndian.Uint64(place[1:]))
	default:
		return after, bad
	}
	copy(after.ID[:], place[len(place)-16:])
	return after, nil
}

func sum(raw []byte, filter string) []byte {
	crc := crc32.ChecksumIEEE(append(append([]byte{}, raw...), filter...))
	return []byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)}
}
