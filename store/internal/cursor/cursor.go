// Package cursor is where a page of a list ended, as text for people to pass on.
package cursor

import (
	"encoding/base64"
	"hash/crc32"

	"github.com/outlast-dev/outlast/task"
)

// A cursor is base64 of: version, the id after which the page begins, and a
// checksum over both and the filter, so that a cursor of another filter or
// one that was tampered with is refused.
const version = 1

// Encode makes the cursor of a list with the filter.
func Encode(after task.ID, filter string) string {
	raw := append([]byte{version}, after[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, sum(raw, filter)...))
}

// Decode reads a cursor that Encode made for the same filter; CodeInvalid for
// others.
func Decode(text, filter string) (after task.ID, err error) {
	bad := task.Invalid("cursor", "it is not a cursor of this list", "pass the next of the page before, with the same filter")
	raw, decodeErr := base64.RawURLEncoding.Strict().DecodeString(text)
	if decodeErr != nil || len(text) != 28 || len(raw) != 21 || raw[0] != version || string(sum(raw[:17], filter)) != string(raw[17:]) {
		return after, bad
	}
	copy(after[:], raw[1:17])
	return after, nil
}

func sum(raw []byte, filter string) []byte {
	crc := crc32.ChecksumIEEE(append(append([]byte{}, raw...), filter...))
	return []byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)}
}
