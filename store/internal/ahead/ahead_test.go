package ahead

import (
	"database/sql/driver"
	"reflect"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func TestPack(t *testing.T) {
	values := []driver.Value{int64(0), int64(-1 << 62), nil, []byte("text"), []byte{}, int64(7)}
	if got := Unpack(Pack(nil, values), nil); !reflect.DeepEqual(got, values) {
		t.Errorf("unpacked %v of %v", got, values)
	}
	if got := Unpack(Pack(nil, []driver.Value{"text"}), nil); !reflect.DeepEqual(got, []driver.Value{[]byte("text")}) {
		t.Errorf("unpacked %v", got)
	}
}

func id(n int) task.ID { return task.ID{byte(n), byte(n >> 8), byte(n >> 16)} }

func found(a *Rows, n int, changes int64) int {
	return len(a.Find([]store.ClaimItem{{ID: id(n)}}, changes))
}

// TestRoom fills memory up to its bound, by rows of which one comes twice, and empties it.
func TestRoom(t *testing.T) {
	a := New()
	row := make([]byte, most/4)
	for n := range 5 {
		if room := a.Begin(1); room != (n < 4) {
			t.Fatalf("room for row %d: %v", n, room)
		}
		a.End(1, []Row{{id(n), row}, {id(0), row}})
	}
	if found(a, 3, 1) != 1 || found(a, 4, 1) != 0 {
		t.Error("another row was kept than the first ones")
	}
	a.Claimed([]task.ID{id(0), id(1), id(2), id(3)})
	if a.bytes != 0 || len(a.rows) != 0 {
		t.Errorf("%d rows of %d bytes are left", len(a.rows), a.bytes)
	}
	a.Ended()
	a.Begin(2)
	a.End(2, []Row{{id(0), row}})
	a.Begin(3)
	a.End(3, nil)
	if a.bytes != 0 || found(a, 0, 3) != 0 {
		t.Errorf("%d bytes are left of before", a.bytes)
	}
}

// TestClaimsOfScansWithoutEnd has one scan begin before the other ends: claims that are no
// longer known make them keep nothing.
func TestClaimsOfScansWithoutEnd(t *testing.T) {
	a := New()
	a.Begin(1)
	for n := range mostRecent + 1 {
		a.Claimed([]task.ID{id(n)})
	}
	a.Ended()
	if len(a.recent) != 0 {
		t.Errorf("%d claims are kept", len(a.recent))
	}
	a.Begin(1)
	a.End(1, []Row{{id(0), nil}})
	if found(a, 0, 1) != 0 {
		t.Error("a row was kept that had been claimed")
	}
	a.End(1, nil)
	a.Begin(1)
	a.End(1, []Row{{id(0), nil}})
	if found(a, 0, 1) != 1 {
		t.Error("a scan after them keeps nothing")
	}
}
