package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/outlast-dev/outlast/task"
)

// Columns of a width that no type has, and nulls, are the zero value and no panic.
func TestRowsOfWrongShapes(t *testing.T) {
	id := task.ID{1, 2, 3, 15: 9}
	long := append(slices.Clone(id[:]), id[:]...)
	r := Row{nil, {}, {1}, {0xff, 0xfe}, {1, 2, 3}, {0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 1, 1}, make([]byte, 9), id[:], append(long, 1, 2, 3)}
	for i, want := range []int64{0, 0, 1, -2, 0, 256, 257, 0, 0} {
		if got := r.Int(i); got != want || r.Bool(i) != (want != 0) || r.Time(i).IsZero() != (want == 0) {
			t.Errorf("column %d is %d, %v, %v, not %d", i, got, r.Bool(i), r.Time(i), want)
		}
		if got := r.ID(i); got.IsZero() != (i != 8) {
			t.Errorf("column %d is the id %s", i, got)
		}
	}
	if r.ID(8) != id || r.ID(9) != (task.ID{}) {
		t.Errorf("ids: %s, %s", r.ID(8), r.ID(9))
	}
	if all := r.IDs(9); len(all) != 2 || all[0] != id || all[1] != id || len(r.IDs(0)) != 0 {
		t.Errorf("lists of ids: %v, %v", all, r.IDs(0))
	}
	if r.Blob(0) != nil || r.Blob(1) == nil || r.Text(0) != "" {
		t.Error("null and nothing are told apart in bytes alone")
	}
	blob := r.Blob(2)
	if r[2][0] = 7; blob[0] != 1 {
		t.Error("a blob is the row's own")
	}
}

// What drivers of database/sql give is read as what the protocol gives.
func TestRowsOfDrivers(t *testing.T) {
	id := task.NewID(time.Unix(1_800_000_000, 0), rand.New(rand.NewPCG(1, 2)))
	r := rowOf([]any{int64(-5), true, false, "text", []byte("bytes"), nil, 1.5, id.String()})
	if r.Int(0) != -5 || !r.Bool(1) || r.Bool(2) || r.Text(3) != "text" || r.Text(4) != "bytes" || r[5] != nil || r[6] != nil || r.ID(7) != id {
		t.Errorf("got %v", r)
	}
}

// ptr is a text of an array that is not null.
func ptr(text string) *string { return &text }

// Arrays are what pgx reads of them, in both formats, with nulls where there is nothing.
func TestArraysWithNulls(t *testing.T) {
	odd := "a \"b\" \\ {},\nNULL é"
	texts := []*string{ptr("x"), nil, ptr(odd), ptr("NULL")}
	for what, c := range map[string]struct {
		arg  any
		want []*string
	}{
		"optional texts": {Optionals{"x", "", odd, "NULL"}, texts},
		"JSON":           {JSONs{[]byte("x"), nil, []byte(odd), []byte("NULL")}, texts},
		"texts":          {[]string{"x", "", odd}, []*string{ptr("x"), ptr(""), ptr(odd)}},
		"no texts":       {[]string{}, []*string{}},
	} {
		for format, raw := range formats(t, c.arg) {
			var got []*string
			read(t, pgtype.TextArrayOID, format, raw, &got)
			same := slices.EqualFunc(got, c.want, func(a, b *string) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) })
			if !same {
				t.Errorf("%s in format %d: %s", what, format, raw)
			}
		}
	}
	for format, raw := range formats(t, [][]byte{{0, 255}, nil, {}}) {
		var got [][]byte
		read(t, pgtype.ByteaArrayOID, format, raw, &got)
		if len(got) != 3 || !bytes.Equal(got[0], []byte{0, 255}) || got[1] != nil || got[2] == nil {
			t.Errorf("bytes in format %d: %v", format, got)
		}
	}
	for format, raw := range formats(t, []int64{-1, 1 << 40}) {
		var got []int64
		if read(t, pgtype.Int8ArrayOID, format, raw, &got); !slices.Equal(got, []int64{-1, 1 << 40}) {
			t.Errorf("numbers in format %d: %v", format, got)
		}
	}
	for format, raw := range formats(t, []task.ID{{1}, {15: 2}}) {
		var got [][16]byte
		if read(t, pgtype.UUIDArrayOID, format, raw, &got); !slices.Equal(got, [][16]byte{{1}, {15: 2}}) {
			t.Errorf("ids in format %d: %v", format, got)
		}
	}
	if _, err := encode(1.5); err == nil {
		t.Error("a number of a kind that no statement takes was encoded")
	}
}

// formats is an argument in the binary format of the protocol and as the text that
// drivers of database/sql send.
func formats(t *testing.T, arg any) map[int16][]byte {
	t.Helper()
	binary, err := encode(arg)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := literal(arg).(string)
	if !ok {
		t.Fatalf("%T is no text for drivers", arg)
	}
	return map[int16][]byte{pgx.BinaryFormatCode: binary, pgx.TextFormatCode: []byte(text)}
}

func read(t *testing.T, oid uint32, format int16, raw []byte, into any) {
	t.Helper()
	if err := pgtype.NewMap().Scan(oid, format, raw, into); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
}

// server plays a server on the other end of a connection: it admits the client, reads one
// batch to its Sync, sends an answer, and ends the connection.
func server(end net.Conn, answer ...pgproto3.BackendMessage) error {
	defer end.Close()
	b := pgproto3.NewBackend(end, end)
	if _, err := b.ReceiveStartupMessage(); err != nil {
		return err
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if err := b.Flush(); err != nil {
		return err
	}
	for {
		message, err := b.Receive()
		if err != nil {
			return err
		}
		if _, last := message.(*pgproto3.Sync); last {
			break
		}
	}
	for _, message := range answer {
		b.Send(message)
	}
	return b.Flush()
}

// connect makes a connection to a server that answers so.
func connect(t *testing.T, answer ...pgproto3.BackendMessage) *Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server(theirs, answer...) }()
	config, err := pgconn.ParseConfig("postgres://user@server/db?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
	c, err := pgconn.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close(context.Background()) // it has ended
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &Conn{PG: c, book: NewBook("", false)}
}

// A connection that ends in the middle of a batch leaves in doubt whether it was done: that
// is no failure that passes, though pgx may say so. What is sent afterwards was not done.
func TestConnectionEndsWithinABatch(t *testing.T) {
	number := []byte{7: 42}
	first := []pgproto3.BackendMessage{
		&pgproto3.ParseComplete{}, &pgproto3.BindComplete{},
		&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("n"), DataTypeOID: oidInt8, DataTypeSize: 8, Format: 1}}},
		&pgproto3.DataRow{Values: [][]byte{number}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")},
	}
	for what, answer := range map[string][]pgproto3.BackendMessage{
		"nothing": nil, "half of the first": first[:4], "the first": first, "the first and half of the second": append(slices.Clone(first), &pgproto3.ParseComplete{}),
	} {
		c, read := connect(t, answer...), int64(0)
		calls := []*Call{{Text: "SELECT 42", Scan: func(r Row) error { read = r.Int(0); return nil }}, {Text: "SELECT 43"}}
		err := c.Run(t.Context(), calls...)
		if err == nil || Passing(err) {
			t.Errorf("%s was answered: %v, which passes: %v", what, err, Passing(err))
		}
		if want := len(answer) >= len(first); (calls[0].Changed == 1) != want || (read == int64(binary.BigEndian.Uint64(number))) != (len(answer) >= 4) {
			t.Errorf("%s was answered: read %d, %d rows", what, read, calls[0].Changed)
		}
		if err := c.Run(t.Context(), calls...); !Passing(err) {
			t.Errorf("behind the end of the connection: %v", err)
		}
	}
}

// Statements that a server refuses say why, and those behind them did nothing.
func TestARefusalWithinABatch(t *testing.T) {
	c := connect(t, &pgproto3.ErrorResponse{Severity: "ERROR", Code: CodeUnique, Message: "twice"}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	calls := []*Call{{Text: "SELECT 1"}, {Text: "SELECT 2"}}
	err := c.Run(t.Context(), calls...)
	if !Refusal(err) || Passing(err) || CodeOf(err) != CodeUnique || MessageOf(err) != "twice" || !strings.Contains(err.Error(), "twice") {
		t.Errorf("got %v", err)
	}
	if calls[0].Changed+calls[1].Changed != 0 {
		t.Errorf("changed %d and %d rows", calls[0].Changed, calls[1].Changed)
	}
}
