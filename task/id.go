package task

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// ID names a task for all its attempts. It is laid out like a UUIDv7
// (RFC 9562 §5.7: 48 bits of Unix milliseconds, version 7, variant 2, the
// rest random), except that its last 16 bits are the lane of the task, so a
// look-up by id touches one lane only. IDs compare in the order of their
// making, to the millisecond. The zero ID means "none".
type ID [16]byte

// Rand is the source of random bits for [NewID]; [math/rand/v2] generators
// satisfy it.
type Rand interface{ Uint64() uint64 }

// NewID makes the id of a task accepted at now. The lane bits are random
// until [ID.WithLane] sets them.
func NewID(now time.Time, random Rand) ID {
	var id ID
	high, low := random.Uint64(), random.Uint64()
	binary.BigEndian.PutUint64(id[:8], uint64(now.UnixMilli())<<16|high&0x0fff|0x7000)
	binary.BigEndian.PutUint64(id[8:], low&^(3<<62)|2<<62)
	return id
}

// Lane is the lane that the id carries.
func (id ID) Lane() uint16 { return binary.BigEndian.Uint16(id[14:]) }

// WithLane returns the id with its lane set.
func (id ID) WithLane(lane uint16) ID {
	binary.BigEndian.PutUint16(id[14:], lane)
	return id
}

// Time is when the id was made, to the millisecond.
func (id ID) Time() time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC()
}

// Compare orders ids by their bytes: by the time of their making first.
func (id ID) Compare(other ID) int { return bytes.Compare(id[:], other[:]) }

// IsZero reports whether the id is absent.
func (id ID) IsZero() bool { return id == ID{} }

// String is the canonical UUID form: 36 characters, lower case.
func (id ID) String() string {
	var text [36]byte
	id.encode(text[:])
	return string(text[:])
}

func (id ID) encode(text []byte) {
	hex.Encode(text[0:8], id[0:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:36], id[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
}

// ParseID reads the canonical form of an id. Only lower or upper case hex
// with dashes in place, version 7 and the RFC variant are accepted; anything
// else is an [*Error] with code [CodeInvalid] and field "id".
func ParseID(text string) (ID, error) {
	var id ID
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return ID{}, badID(text)
	}
	for _, part := range [...]struct{ to, from, until int }{{0, 0, 8}, {4, 9, 13}, {6, 14, 18}, {8, 19, 23}, {10, 24, 36}} {
		if _, err := hex.Decode(id[part.to:], []byte(text[part.from:part.until])); err != nil {
			return ID{}, badID(text)
		}
	}
	if id[6]>>4 != 7 || id[8]>>6 != 2 {
		return ID{}, badID(text)
	}
	return id, nil
}

func badID(text string) error {
	return Invalid("id", fmt.Sprintf("%s is not a task id", Quote(text)),
		"an id is a UUID of version 7, such as 019a9f2e-5c00-7abc-8def-0123456789ab")
}

// MarshalText implements [encoding.TextMarshaler].
func (id ID) MarshalText() ([]byte, error) {
	text := make([]byte, 36)
	id.encode(text)
	return text, nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *ID) UnmarshalText(text []byte) error {
	parsed, err := ParseID(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}
