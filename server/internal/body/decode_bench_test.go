package body

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// BenchmarkDecode reads bodies of tasks as they are sent: the least, every kind of field,
// a large text and a large tree, and a batch.
func BenchmarkDecode(b *testing.B) {
	small := `{"type":"mail.send","payload":{"to":"a@example.com","subject":"Hello","n":[1,2,3]}}`
	for name, body := range map[string]string{
		"small": small,
		"full": `{"type":"mail.send","queue":"mail","id":"019a9f2e-5c00-7abc-8def-0123456789ab","priority":3,"delay":"1.5s","key":"customer \u00fc 7","metadata":{"a":"b","c":"d"},
			"retry":{"max_attempts":5,"backoff":{"kind":"exponential","initial":"1s","max":"30s","jitter":"full"},"rules":[{"when":["network","timeout"],"max_attempts":4}]},
			"deadline":"2030-01-01T00:00:00Z","target":{"url":"https://example.com/hook","headers":{"X-A":"b","X-C":"d"}},"payload":{"order":12345,"items":[{"sku":"a","n":1},{"sku":"b","n":2}],"note":null}}`,
		"text": `{"type":"mail.send","payload":"` + strings.Repeat("0123456789 abc ü", 4096) + `"}`,
		"tree": `{"type":"mail.send","payload":[` + strings.Repeat(`{"id":12345,"name":"abc","on":true},`, 2000) + `0]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				var draft client.Draft
				if err := Decode([]byte(body), &draft, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("batch", func(b *testing.B) {
		body := []byte(`{"tasks":[` + strings.Repeat(small+",", 99) + small + `]}`)
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var batch struct {
				Tasks []json.RawMessage `json:"tasks"`
			}
			if err := Decode(body, &batch, ""); err != nil {
				b.Fatal(err)
			}
			for _, data := range batch.Tasks {
				var draft client.Draft
				if err := Decode(data, &draft, "tasks[0]"); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
