package push

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/task"
)

const (
	// excerptRead is how much of the body of a failure is read: enough for an
	// excerpt, and for most bodies to their end, so that the connection is kept.
	excerptRead = 8 << 10
	// excerptWait bounds the wait for the body of a failure.
	excerptWait = 2 * time.Second
)

// readResult reads the result from a 2xx answer. A body over the limit is left
// unread, which closes the connection.
func readResult(resp *http.Response) (json.RawMessage, error) {
	if resp.ContentLength == 0 || resp.ContentLength > task.MaxResult {
		return nil, nil
	}
	body, err := readAtMost(resp.Body, task.MaxResult+1, resp.ContentLength)
	if err != nil {
		return nil, err
	}
	if isEncoded(resp.Header) {
		return nil, nil
	}
	return parseResult(body), nil
}

// parseResult returns the body if it can be kept as a result, else nil. White
// space around it is dropped.
func parseResult(body []byte) json.RawMessage {
	if len(body) > task.MaxResult {
		return nil
	}
	body = bytes.Trim(body, " \t\r\n")
	if len(body) == 0 || !utf8.Valid(body) || !json.Valid(body) {
		return nil
	}
	return body
}

// isEncoded reports whether the body is compressed; it is never decompressed,
// because a few bytes could unfold to gigabytes.
func isEncoded(h http.Header) bool {
	for _, value := range h["Content-Encoding"] {
		if value != "" && !strings.EqualFold(value, "identity") {
			return true
		}
	}
	return false
}

// readAtMost reads until the end or the limit. The length announced, -1 for
// none, only sets how much is allocated first. What was read is returned with
// an error too.
func readAtMost(from io.Reader, limit int, announced int64) ([]byte, error) {
	size := 512
	if announced >= 0 && announced < int64(limit) {
		size = int(announced) + 1
	}
	body := make([]byte, 0, min(size, limit))
	for len(body) < limit {
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(limit, 4*cap(body)))
			copy(grown, body)
			body = grown
		}
		n, err := from.Read(body[len(body):min(limit, cap(body))])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
	return body, nil
}
