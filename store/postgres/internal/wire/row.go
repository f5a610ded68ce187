package wire

import (
	"encoding/binary"
	"time"

	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Row is one row of a result in the binary format of the protocol; nil is
// null. It holds until the next row is read: its getters copy.
type Row [][]byte

// Int reads whole numbers of every size, and booleans.
func (r Row) Int(i int) int64 {
	switch v := r[i]; len(v) {
	case 1:
		return int64(v[0])
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

func (r Row) Bool(i int) bool { return r.Int(i) != 0 }

func (r Row) Text(i int) string { return string(r[i]) }

func (r Row) Blob(i int) []byte {
	if r[i] == nil {
		return nil
	}
	return append(make([]byte, 0, len(r[i])), r[i]...)
}

func (r Row) ID(i int) (id task.ID) {
	switch len(r[i]) {
	case len(id):
		copy(id[:], r[i])
	case 36: // some drivers of database/sql make text of it
		id, _ = task.ParseID(string(r[i])) // the database has checked it
	}
	return id
}

func (r Row) Time(i int) time.Time { return stored.Time(r.Int(i)) }

// Lists of ids in one column are byte strings of 16 bytes each.
func (r Row) IDs(i int) []task.ID {
	all := make([]task.ID, len(r[i])/16)
	for n := range all {
		copy(all[n][:], r[i][16*n:])
	}
	return all
}
