package client

import (
	"bytes"
	"encoding/json"
)

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
