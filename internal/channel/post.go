package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
)

// mostAnswer is how much of an answer is read, in bytes.
const mostAnswer = 16 << 10

// poster sends JSON to one URL.
type poster struct {
	http *safehttp.Client
	url  *url.URL
	host string
	now  func() time.Time
}

func newPoster(spec *alert.ChannelSpec, o *Options) (*poster, error) {
	text := spec.URL
	if text == "" {
		var err error
		if text, err = o.secret("url", spec.URLEnv, spec.URLFile); err != nil {
			return nil, err
		}
	}
	checked, err := safehttp.CheckURL(text)
	if err != nil {
		// The text of the error may show a part of the URL, which is a secret.
		return nil, &retry.FieldError{Field: "url_env", Message: "does not hold a URL that can be called", Hint: "it begins with https:// and names a host; see the documentation of who receives it"}
	}
	return &poster{o.HTTP, checked, checked.Host, o.Now}, nil
}

// openSigned makes a poster, and reads the secret that its messages are signed with.
func openSigned(spec *alert.ChannelSpec, o *Options) (*poster, string, error) {
	p, err := newPoster(spec, o)
	if err != nil {
		return nil, "", err
	}
	secret, err := o.secret("secret", spec.SecretEnv, spec.SecretFile)
	return p, secret, err
}

// post sends a value as JSON, with more query parameters and headers, and
// returns the body of a 2xx answer.
func (p *poster) post(ctx context.Context, query url.Values, header http.Header, body []byte) ([]byte, error) {
	to := *p.url
	if len(query) > 0 {
		all := to.Query()
		for name := range query {
			all.Set(name, query.Get(name))
		}
		to.RawQuery = all.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, p.failed(ctx, err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "Outlast")
	resp, err := p.http.Do(req)
	if err != nil {
		return nil, p.failed(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing is left to read
	answer, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if resp.StatusCode/100 != 2 {
		verdict := retry.ClassifyHTTP(resp.StatusCode, resp.Header, p.now())
		verdict.Type = typeName
		return answer, &Error{Verdict: verdict, Message: p.host + " answered " + strconv.Itoa(resp.StatusCode) + p.quoted(answer)}
	}
	if err != nil {
		return nil, p.failed(ctx, err)
	}
	return answer, nil
}

// Probe implements [alerts.Prober]: it connects and asks nothing.
func (p *poster) Probe(ctx context.Context) error {
	if err := p.http.Reach(ctx, p.url); err != nil {
		return p.failed(ctx, err)
	}
	return nil
}

func (p *poster) failed(ctx context.Context, err error) *Error {
	verdict := retry.ClassifyIn(ctx, err)
	return &Error{Verdict: verdict, Message: "no answer of " + p.host + ": " + plaintext.Line(err.Error()), Err: err}
}

// quoted is a part of what the receiver said, without the path that it was called by, which
// may be a secret and which some quote.
func (p *poster) quoted(answer []byte) string {
	text := string(answer)
	if len(p.url.Path) > 1 {
		text = strings.ReplaceAll(text, p.url.Path, "/…")
	}
	return quoted(text)
}

// quoted is a part of what a receiver said, on one line.
func quoted(text string) string {
	if text = plaintext.Line(plaintext.Cut(text, 300)); text == "" {
		return ""
	}
	return ": " + text
}

// encode is JSON without escapes for HTML, which some robots show as they are.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}

// fit makes a body of at most most bytes from text that is cut as far as
// needed: in JSON, a text grows by its escapes.
func fit(m *alert.Message, limit, most int, make func(text string) any) ([]byte, error) {
	for {
		body, err := encode(make(m.PlainText(limit)))
		if err != nil || len(body) <= most || limit <= 64 {
			return body, err
		}
		limit -= max(len(body)-most, 64)
	}
}

// answerOf is how robots answer with status 200.
type answerOf struct {
	ErrCode *int   `json:"errcode"` // DingTalk and WeCom
	ErrMsg  string `json:"errmsg"`
	Code    *int   `json:"code"` // Feishu
	Msg     string `json:"msg"`
}

// unreadable is a 2xx answer that no robot gives.
func (p *poster) unreadable(answer []byte) *Error {
	return &Error{
		Verdict: retry.Verdict{Category: retry.Unknown, Effect: retry.Maybe, Type: typeName},
		Message: p.host + " answered what no robot answers" + quoted(string(answer)),
	}
}
