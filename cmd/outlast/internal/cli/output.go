package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/plaintext"
)

// Terminal reports whether a stream is one.
func Terminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// unsafe reports whether a rune could do something to a terminal, or make
// text read differently from what it is.
func unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 || r == utf8.RuneError
}

// Clean makes text from outside fit for a terminal, on one line.
func Clean(text string) string {
	if strings.IndexFunc(text, unsafe) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			out.WriteString(`\n`)
		case unsafe(r) && r != utf8.RuneError:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Short is clean text of at most n runes.
func Short(text string, n int) string {
	count := 0
	for i := range text {
		if count++; count > n {
			return Clean(text[:i]) + "…"
		}
	}
	return Clean(text)
}

// WriteJSON writes a value as one line. On a terminal, runes that could do
// something to it are written as escapes, which mean the same.
func (c *Env) WriteJSON(value any) error {
	data, err := client.Marshal(value)
	if err != nil {
		return err
	}
	return c.WriteLine(data)
}

// WriteLine writes JSON as one line, or indented on a terminal.
func (c *Env) WriteLine(data []byte) error {
	data = bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' { // between tokens; strings cannot hold them raw
			return ' '
		}
		return r
	}, data)
	if Terminal(c.Out) {
		var escaped bytes.Buffer
		for _, r := range string(data) {
			switch {
			case unsafe(r) && r > 0xffff:
				high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
				fmt.Fprintf(&escaped, `\u%04x\u%04x`, high, low)
			case unsafe(r) && r != '\t':
				fmt.Fprintf(&escaped, `\u%04x`, r)
			default:
				escaped.WriteRune(r)
			}
		}
		data = escaped.Bytes()
		var indented bytes.Buffer
		if c.Output == "json" && json.Indent(&indented, data, "", "  ") == nil {
			data = indented.Bytes()
		}
	}
	_, err := c.Out.Write(append(data, '\n'))
	return err
}

// Show writes one thing: as JSON, or by the function for a table.
func (c *Env) Show(value any, table func(w io.Writer)) error {
	if c.Output != "table" {
		return c.WriteJSON(value)
	}
	return c.Table(table)
}

// List writes several things: as one JSON value, as lines, or as a table.
func List[T any](c *Env, whole any, items []T, table func(w io.Writer)) error {
	if c.Output != "jsonl" {
		return c.Show(whole, table)
	}
	for i := range items {
		if err := c.WriteJSON(&items[i]); err != nil {
			return err
		}
	}
	return nil
}

// Table writes columns that the function separates by tabs.
func (c *Env) Table(rows func(w io.Writer)) error {
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	rows(w)
	return w.Flush()
}

// Row writes one line of a table. Every cell from outside must be clean.
func Row(w io.Writer, cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			_, _ = io.WriteString(w, "\t") // Flush reports it
		}
		_, _ = fmt.Fprint(w, cell)
	}
	_, _ = io.WriteString(w, "\n")
}

// Field writes a line of a listing, unless the value is empty.
func Field(w io.Writer, name string, value any) {
	if text := fmt.Sprint(value); text != "" && text != "0" {
		Row(w, name, text)
	}
}

// Few is clean text of the first names of a list, and how many more there are.
func Few(names []string) string {
	const most = 3
	text := Clean(strings.Join(names[:min(len(names), most)], ","))
	if left := len(names) - most; left > 0 {
		text += fmt.Sprintf(" (+%d)", left)
	}
	return text
}

// When is a time in UTC to the millisecond; "" for none.
func When(t client.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Span is a duration as people write it; "" for none.
func Span(d client.Duration) string {
	if d == 0 {
		return ""
	}
	return plaintext.Span(time.Duration(d).Round(time.Millisecond))
}
