package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// EnqueueRaw hands in a draft as it stands, for callers that pass on JSON of
// others: what is wrong with it is for the server to say. An id is added
// where there is none. With wait it waits as [Client.Run] does.
func (c *Client) EnqueueRaw(ctx context.Context, draft json.RawMessage, wait time.Duration) (*Task, error) {
	draft, named := withID(draft)
	request := call{method: http.MethodPost, path: "/v1/tasks", body: draft, once: !named}
	if wait > 0 {
		request.query = url.Values{"wait": {wait.String()}}
	}
	return exchange[Task](ctx, c, request)
}

type rawBatch struct {
	Tasks  []json.RawMessage `json:"tasks"`
	Atomic bool              `json:"atomic,omitempty"`
}

// EnqueueRawBatch hands in up to 1000 drafts as they stand, see
// [Client.EnqueueRaw].
func (c *Client) EnqueueRawBatch(ctx context.Context, drafts []json.RawMessage, atomic bool) ([]BatchResult, error) {
	batch := rawBatch{Tasks: make([]json.RawMessage, len(drafts)), Atomic: atomic}
	once := false
	for i, draft := range drafts {
		named := false
		batch.Tasks[i], named = withID(draft)
		once = once || !named
	}
	out, err := exchange[BatchResults](ctx, c, call{method: http.MethodPost, path: "/v1/tasks/batch", body: &batch, once: once})
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

// withID adds an id to an object without one, and reports whether the result
// has one.
func withID(draft json.RawMessage) (json.RawMessage, bool) {
	var names map[string]json.RawMessage
	if json.Unmarshal(draft, &names) != nil || names == nil {
		return draft, false
	}
	if _, found := names["id"]; found {
		return draft, true
	}
	text := bytes.TrimLeft(draft, " \t\r\n")
	out := append([]byte(`{"id":"`), NewID().String()...)
	out = append(out, '"')
	if len(names) > 0 {
		out = append(out, ',')
	}
	return append(out, text[1:]...), true
}

// htmlEscapes are what encoding/json writes in place of characters that mean
// something in HTML.
var htmlEscapes = map[string]byte{"003c": '<', "003e": '>', "0026": '&'}

// PlainJSON writes out the characters <, > and & where they are escaped: conditions of
// rules are full of them, and people read them. What has none is returned as it is.
func PlainJSON(data json.RawMessage) json.RawMessage {
	if !bytes.Contains(data, []byte(`\u00`)) {
		return data
	}
	out := make(json.RawMessage, 0, len(data))
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' || i+1 == len(data) {
			out = append(out, data[i])
			continue
		}
		if data[i+1] == 'u' && i+5 < len(data) {
			if plain, known := htmlEscapes[string(bytes.ToLower(data[i+2:i+6]))]; known {
				out = append(out, plain)
				i += 5
				continue
			}
		}
		out = append(out, data[i], data[i+1])
		i++
	}
	return out
}
