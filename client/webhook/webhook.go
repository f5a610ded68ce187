// Package webhook is for receivers of the requests that Outlast makes: it tells whether a
// request is from Outlast, and which run of which task it is.
//
// Stability: stable. Names and their meaning stay within a major version.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// ErrBad says that a request is not to be believed: answer 401, and do nothing.
var ErrBad = errors.New("webhook: the request is not good")

// Push is a request that Outlast has made. Signed are ID, SentAt and Body; the rest is what
// headers say.
type Push struct {
	ID          string    // of the task, the same at every attempt: whoever remembers it does nothing twice
	Claim       int64     // grows with every run: of two requests the larger one is newer; 0 from other senders
	Attempt     int       // from 1
	MaxAttempts int       // 0 for unlimited
	Type        string    // of the task
	Key         string    // its ordering key
	Deadline    time.Time // zero for none
	SentAt      time.Time // of the signature
	Body        []byte    // the payload
}

// Verifier checks signatures of Standard Webhooks. Make it with [New].
type Verifier struct {
	secrets [][]byte
	// Tolerance is how old a request may be, or how far ahead; 5 minutes by default.
	Tolerance time.Duration
	// Now tells the time; [time.Now] by default.
	Now func() time.Time
}

// New makes a verifier of a secret, "whsec_" and base64. While a secret is being changed,
// give it both.
func New(secret string, more ...string) (*Verifier, error) {
	v := &Verifier{Tolerance: 5 * time.Minute, Now: time.Now}
	for _, text := range append([]string{secret}, more...) {
		encoded, ok := strings.CutPrefix(text, "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil || len(key) < 16 || len(key) > 64 {
			return nil, task.Invalid("secret", "is not whsec_ and 16 to 64 bytes in base64", "give the one that the server has")
		}
		v.secrets = append(v.secrets, key)
	}
	return v, nil
}

// maxBody is what is read of a request: payloads have at most 1 MiB.
const maxBody = 2 << 20

// Read reads the body of a request, checks its signature, and says what it is. Errors of a
// request that is not to be believed are [ErrBad].
func (v *Verifier) Read(r *http.Request) (*Push, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("%w: the body has more than %d bytes", ErrBad, maxBody)
	}
	return v.Verify(body, r.Header)
}

// Verify is [Verifier.Read] of a body that was read already: its bytes as they came.
func (v *Verifier) Verify(body []byte, header http.Header) (*Push, error) {
	id, stamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil {
		return nil, fmt.Errorf("%w: Webhook-Id or Webhook-Timestamp is missing", ErrBad)
	}
	if !v.signed(id+"."+stamp+"."+string(body), header.Get("Webhook-Signature")) {
		return nil, fmt.Errorf("%w: no signature fits", ErrBad)
	}
	sent := time.Unix(seconds, 0)
	if age := v.Now().Sub(sent).Abs(); age > v.Tolerance {
		return nil, fmt.Errorf("%w: it was signed at %s", ErrBad, sent.UTC().Format(time.RFC3339))
	}
	return push(id, sent, body, header)
}

func (v *Verifier) signed(text, signatures string) (good bool) {
	for _, secret := range v.secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		want := base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, one := range strings.Fields(signatures) {
			value, v1 := strings.CutPrefix(one, "v1,")
			good = v1 && hmac.Equal([]byte(value), []byte(want)) || good
		}
	}
	return good
}

// push reads the headers of a request. Other senders than Outlast have none of them.
func push(id string, sent time.Time, body []byte, header http.Header) (*Push, error) {
	p := &Push{ID: id, SentAt: sent, Body: body}
	var wrong error
	number := func(name string) (n int64) {
		if text := header.Get(name); text != "" {
			var err error
			n, err = strconv.ParseInt(text, 10, 64)
			wrong = errors.Join(wrong, err)
		}
		return n
	}
	text := func(name string) string {
		decoded, err := url.PathUnescape(header.Get(name))
		wrong = errors.Join(wrong, err)
		return decoded
	}
	p.Claim, p.Attempt, p.MaxAttempts = number("Outlast-Claim"), int(number("Outlast-Attempt")), int(number("Outlast-Max-Attempts"))
	p.Type, p.Key = text("Outlast-Task-Type"), text("Outlast-Key")
	if given := header.Get("Outlast-Deadline"); given != "" {
		var err error
		p.Deadline, err = time.Parse(time.RFC3339Nano, given)
		wrong = errors.Join(wrong, err)
	}
	if wrong != nil {
		return nil, fmt.Errorf("%w: %w", ErrBad, wrong)
	}
	return p, nil
}
