package channel

import (
	"slices"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// TestParse: each wrong field is named, all at once.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"kind": "dingtalk", "url_env": "DING_URL", "secret_env": "DING_SECRET"}`: nil,
		`{"kind": "log"}`: nil,
		`{"kind": "webhook", "url": "https://example.com/hook"}`:              nil,
		`{"kind": "dingtalk", "url": "https://oapi.dingtalk.com/robot/send"}`: {"url"},
		`{"kind": "dingtalk"}`: {"url_env"},
		`{"kind": "pigeon"}`:   {"kind"},
		`{"kind": "slack", "url_env": "https://hooks.slack.com/x", "secret_env": "S"}`:                                                {"secret_env", "url_env"},
		`{"kind": "webhook", "url": "ftp://x", "mentions": ["all"]}`:                                                                  {"mentions", "url"},
		`{"kind": "wecom", "url_env": "U", "mentions": ["<@all>"], "rate": 0}`:                                                        {"rate", "mentions[0]"},
		`{"kind": "email", "address": "smtp:587", "from": "a@b.c", "to": ["d@e.f"]}`:                                                  nil,
		`{"kind": "email", "address": "smtp", "from": "x\r\nBcc: y@z.a", "to": []}`:                                                   {"to", "address", "from"},
		`{"kind": "email", "address": "a:25", "tls": "none", "username": "u", "password_env": "P", "from": "a@b.c", "to": ["d@e.f"]}`: {"tls"},
		`{"kind": "pagerduty", "secret_env": "K"}`:                                                                                    nil,
		`{"kind": "pagerduty", "url": "x", "url_env": "U"}`:                                                                           {"url_env", "secret_env", "url"},
		`{"kind": "alertmanager", "url": "http://am:9093"}`:                                                                           nil,
		`{"kind": "alertmanager", "mentions": ["all"]}`:                                                                               {"mentions", "url"},
		`{"kind": "teams", "url_env": "U"}`:                                                                                           nil,
		`{"kind": "telegram", "secret_env": "T", "to": ["-100123"]}`:                                                                  nil,
		`{"kind": "telegram", "secret_env": "T"}`:                                                                                     {"to"},
		`{"kind": "telegram", "secret_env": "T", "to": ["@ops", "1"]}`:                                                                {"to"},
		`{"kind": "telegram", "secret_env": "T", "to": ["ops"]}`:                                                                      {"to"},
		`{"name": "a", "kind": "log", "fallback": "a", "timeout": "1ms"}`:                                                             {"fallback", "timeout"},
	} {
		_, err := Parse([]byte(text))
		var fields []string
		for _, e := range retry.FieldErrors(err) {
			fields = append(fields, e.Field)
		}
		if !slices.Equal(fields, want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse([]byte(`{"kind": "dingtak"}`)); !strings.Contains(err.Error(), "did you mean dingtalk?") {
		t.Error(err)
	}
}
