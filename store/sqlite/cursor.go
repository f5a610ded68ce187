package sqlite

import (
	"encoding/base64"
	"hash/crc32"

	"github.com/outlast-dev/outlast/task"
)

// A cursor is base64 of: version, the id after which the page begins, and a
// checksum over both and the filter, so that a cursor of another filter or
// one that was tampered with is refused.
const cursorVersion = 1

func encodeCursor(after task.ID, filter string) string {
	raw := append([]byte{cursorVersion}, after[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, cursorSum(raw, filter)...))
}

func decodeCursor(text, filter string) (after task.ID, err error) {
	bad := task.Invalid("cursor", "it is not a cursor of this list", "pass the next of the page before, with the same filter")
	raw, decodeErr := base64.RawURLEncoding.Strict().DecodeString(text)
	if decodeErr != nil || len(text) != 28 || len(raw) != 21 || raw[0] != cursorVersion || string(cursorSum(raw[:17], filter)) != string(raw[17:]) {
		return after, bad
	}
	copy(after[:], raw[1:17])
	return after, nil
}

func cursorSum(raw []byte, filter string) []byte {
	sum := crc32.ChecksumIEEE(append(append([]byte{}, raw...), filter...))
	return []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}
}
