package literal

import (
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/task"
)

func TestValuesStandInTheText(t *testing.T) {
	id := task.ID{0x01, 0xff}
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "NULL"}, {[]byte(nil), "NULL"}, {json.RawMessage(nil), "NULL"}, {sql.NullString{}, "NULL"}, {(*int64)(nil), "NULL"},
		{0, "0"}, {int64(-9223372036854775808), "-9223372036854775808"}, {uint16(65535), "65535"}, {time.Second, "1000000000"},
		{true, "1"}, {false, "0"},
		{"", "x''"}, {[]byte{}, "x''"}, {"a'\\\x00?", "x'61275c003f'"}, {[]byte("é"), "x'c3a9'"}, {task.DeadReason("x"), "x'78'"}, {json.RawMessage("{}"), "x'7b7d'"},
		{id, "x'01ff0000000000000000000000000000'"},
	} {
		got, err := In("a ? b", []any{c.value})
		if want := "a " + c.want + " b"; err != nil || got != want {
			t.Errorf("%#v is %s, %v, not %s", c.value, got, err, want)
		}
	}
}

func TestStatementsHaveAPlaceForEachValue(t *testing.T) {
	if got, err := In("SELECT '?'", nil); err != nil || got != "SELECT '?'" {
		t.Errorf("a statement without values became %q, %v", got, err)
	}
	for _, c := range []struct {
		query  string
		values []any
	}{
		{"?", []any{1, 2}}, {"? ?", []any{1}}, {"?", []any{1.5}}, {"?", []any{time.Now()}}, {"?", []any{struct{}{}}},
	} {
		if got, err := In(c.query, c.values); err == nil {
			t.Errorf("%q with %v became %q", c.query, c.values, got)
		}
	}
}
