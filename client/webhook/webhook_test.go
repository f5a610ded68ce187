package webhook_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client/webhook"
)

// The example of the specification of Standard Webhooks.
const (
	secret    = "whsec_plJ3nmyCDGBKInavdOK15jsl"
	body      = `{"event_type":"ping","data":{"success":true}}`
	id        = "msg_loFOjxBNrRLzqYUf"
	signature = "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="
)

var sent = time.Unix(1731705121, 0)

func request(change func(http.Header)) *http.Request {
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	for name, value := range map[string]string{
		"Webhook-Id": id, "Webhook-Timestamp": "1731705121", "Webhook-Signature": "v1,bm8= " + signature,
		"Outlast-Task-Type": "mail.send", "Outlast-Claim": "7", "Outlast-Key": "Kunde%20%C3%84%25", "Outlast-Attempt": "2",
		"Outlast-Max-Attempts": "5", "Outlast-Deadline": "2026-03-04T05:00:00.005Z",
	} {
		r.Header.Set(name, value)
	}
	change(r.Header)
	return r
}

func verifier(t *testing.T, at time.Time, secrets ...string) *webhook.Verifier {
	t.Helper()
	v, err := webhook.New(secrets[0], secrets[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	v.Now = func() time.Time { return at }
	return v
}

func TestGoodRequest(t *testing.T) {
	got, err := verifier(t, sent.Add(4*time.Minute), "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcg==", secret).Read(request(func(http.Header) {}))
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != id || got.Claim != 7 || got.Attempt != 2 || got.MaxAttempts != 5 || got.Type != "mail.send" || got.Key != "Kunde Ä%" ||
		!got.SentAt.Equal(sent) || got.Deadline.UnixMilli() != 1772600400005 || string(got.Body) != body {
		t.Errorf("%+v", got)
	}
	if got, err = verifier(t, sent, secret).Verify([]byte(body), http.Header{
		"Webhook-Id": {id}, "Webhook-Timestamp": {"1731705121"}, "Webhook-Signature": {signature},
	}); err != nil || got.Claim != 0 || got.MaxAttempts != 0 || !got.Deadline.IsZero() {
		t.Error(got, err)
	}
}

func TestBadRequests(t *testing.T) {
	for name, of := range map[string]struct {
		at     time.Time
		change func(http.Header)
		want   string
	}{
		"old":            {sent.Add(6 * time.Minute), func(http.Header) {}, "it was signed at 2024-11-15T21:12:01Z"},
		"ahead":          {sent.Add(-6 * time.Minute), func(http.Header) {}, "it was signed at"},
		"another id":     {sent, func(h http.Header) { h.Set("Webhook-Id", "other") }, "no signature fits"},
		"no id":          {sent, func(h http.Header) { h.Del("Webhook-Id") }, "is missing"},
		"no timestamp":   {sent, func(h http.Header) { h.Set("Webhook-Timestamp", "now") }, "is missing"},
		"no signature":   {sent, func(h http.Header) { h.Del("Webhook-Signature") }, "no signature fits"},
		"another scheme": {sent, func(h http.Header) { h.Set("Webhook-Signature", strings.Replace(signature, "v1", "v2", 1)) }, "no signature fits"},
		"no number":      {sent, func(h http.Header) { h.Set("Outlast-Claim", "seven") }, "invalid syntax"},
	} {
		_, err := verifier(t, of.at, secret).Read(request(of.change))
		if !errors.Is(err, webhook.ErrBad) || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := verifier(t, sent, "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcg==").Read(request(func(http.Header) {})); !errors.Is(err, webhook.ErrBad) {
		t.Error(err)
	}
	for _, text := range []string{"", "whsec_", "whsec_!", "plJ3nmyCDGBKInavdOK15jsl"} {
		if _, err := webhook.New(text); err == nil || !strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
