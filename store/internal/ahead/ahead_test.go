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
	if a.Find([]store.ClaimItem{{ID: id(n)}}, All(changes))[0] == nil {
		return 0
	}
	return 1
}

// TestRoom fills memory up to its bound, by rows of which one comes twice, and empties it.
func TestRoom(t *testing.T) {
	a := New()
	row := make([]byte, most/4)
	for n := range 5 {
		began, room := a.Begin()
		if room != (n < 4) {
			t.Fatalf("room for row %d: %v", n, room)
		}
		a.End(began, []Row{{id(n), row}, {id(0), row}}, All(1))
	}
	if found(a, 3, 1) != 1 || found(a, 4, 1) != 0 {
		t.Error("another row was kept than the first ones")
	}
	a.Claimed([]task.ID{id(0), id(1), id(2), id(3)})
	if a.bytes != 0 || len(a.lanes[0].rows) != 0 {
		t.Errorf("%d rows of %d bytes are left", len(a.lanes[0].rows), a.bytes)
	}
	a.Ended()
	a.Begin()
	a.End(0, []Row{{id(0), row}}, All(2))
	a.Begin()
	a.End(0, nil, All(3))
	if a.bytes != 0 || found(a, 0, 3) != 0 {
		t.Errorf("%d bytes are left of before", a.bytes)
	}
}

// TestClaimsOfScansWithoutEnd has one scan begin before the other ends: claims that are no
// longer known make them keep nothing.
func TestClaimsOfScansWithoutEnd(t *testing.T) {
	a := New()
	a.Begin()
	for n := range mostRecent + 1 {
		a.Claimed([]task.ID{id(n)})
	}
	a.Ended()
	if len(a.recent) != 0 {
		t.Errorf("%d claims are kept", len(a.recent))
	}
	a.Begin()
	a.End(0, []Row{{id(0), []byte{}}}, All(1))
	if found(a, 0, 1) != 0 {
		t.Error("a row was kept that had been claimed")
	}
	a.End(0, nil, All(1))
	a.Begin()
	a.End(0, []Row{{id(0), []byte{}}}, All(1))
	if found(a, 0, 1) != 1 {
		t.Error("a scan after them keeps nothing")
	}
}

// TestStatesOfLanes changes one lane of two: the rows of the other stay, and a scan that
// began before keeps nothing of the one.
func TestStatesOfLanes(t *testing.T) {
	a := New()
	states := map[uint16]int64{}
	state := func(lane uint16) int64 { return states[lane] }
	of := func(n int, lane byte) task.ID {
		row := id(n)
		row[len(row)-1] = lane
		return row
	}
	kept := func(id task.ID) bool { return a.Find([]store.ClaimItem{{ID: id}}, state)[0] != nil }
	a.Begin()
	a.End(0, []Row{{of(1, 1), []byte{}}, {of(2, 2), []byte{}}}, state)
	states[1]++
	if kept(of(1, 1)) || !kept(of(2, 2)) {
		t.Error("not the rows of the lane that has changed went")
	}
	a.Begin()
	a.End(0, []Row{{of(1, 1), []byte{}}, {of(3, 2), []byte{}}}, All(0))
	if kept(of(1, 1)) || !kept(of(3, 2)) {
		t.Error("a scan that began before kept rows of the lane, or none of the other")
	}
	states[2]++
	a.Begin()
	a.End(0, nil, state)
	if kept(of(2, 2)) || a.bytes != 0 {
		t.Errorf("%d bytes are left", a.bytes)
	}
}

// TestSettledWhileAScanReads ends a task that ran when the scan read it: its claim was over
// before the scan began.
func TestSettledWhileAScanReads(t *testing.T) {
	a := New()
	a.Claimed([]task.ID{id(1)})
	a.Ended()
	a.Begin()
	a.Settled([]task.ID{id(1)})
	a.End(0, []Row{{id(1), []byte{}}, {id(2), []byte{}}}, All(1))
	if found(a, 1, 1) != 0 || found(a, 2, 1) != 1 {
		t.Error("the row was kept that had ended, or not the other")
	}
}

// TestReadAfterAClaim begins to read a row after its claim was settled, while another scan
// goes on that began before: the later one keeps it.
func TestReadAfterAClaim(t *testing.T) {
	a := New()
	first, _ := a.Begin()
	a.Claimed([]task.ID{id(1)})
	a.Ended()
	a.Settled([]task.ID{id(1)})
	second, _ := a.Begin()
	a.End(second, []Row{{id(1), []byte{2}}}, All(1))
	a.End(first, []Row{{id(1), []byte{1}}}, All(1))
	if row := a.Find([]store.ClaimItem{{ID: id(1)}}, All(1))[0]; len(row) != 1 || row[0] != 2 {
		t.Errorf("kept %v", row)
	}
}
