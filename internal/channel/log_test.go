package channel

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/alert"
)

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	made, err := New(&alert.ChannelSpec{Name: "log", Kind: alert.ToLog}, Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	if err != nil {
		t.Fatal(err)
	}
	m := hostile()
	m.Fields = []alert.Field{{Name: "task", Value: "t1"}, {Name: "error", Value: "private"}}
	if err := made.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "level=WARN msg=alert rule=exhausted") || !strings.Contains(text, "task=t1") || strings.Contains(text, "private") {
		t.Error(text)
	}
}
