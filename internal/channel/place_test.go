package channel

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/safehttp"
)

// A channel that is not of the configuration of this process gets at nothing but the
// secrets that are for channels, each for its hosts only, wherever it was read.
func TestChannelsFromElsewhere(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"OUTLAST_KEY_1": "canary", "OUTLAST_SECRET_MAIL": "canary", "OUTLAST_SECRET_MAIL_HOSTS": "smtp.example.com, mail.example.com:465",
		"OUTLAST_SECRET_PAGER": "canary", "OUTLAST_SECRET_PAGER_HOSTS": "events.pagerduty.com",
		"OUTLAST_SECRET_FREE": "canary", "OUTLAST_SECRET_HOOK": "https://hooks.example.com/canary", "HOOK": "https://hooks.example.com/canary",
		"OUTLAST_SECRET_BOUND": "https://hooks.example.com/canary", "OUTLAST_SECRET_BOUND_HOSTS": "other.example.com",
		"OUTLAST_SECRET_SIGN": "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", "OUTLAST_SECRET_SIGN_HOSTS": "HOOKS.example.com,[2001:db8::1]",
	}
	mail := func(address, variable, file string) alert.ChannelSpec {
		return alert.ChannelSpec{Kind: alert.ToEmail, Address: address, Username: "u", PasswordEnv: variable, PasswordFile: file, From: "a@b.c", To: []string{"d@e.f"}}
	}
	hook := func(url, variable, secret string) alert.ChannelSpec {
		return alert.ChannelSpec{Kind: alert.ToWebhook, URL: url, URLEnv: variable, SecretEnv: secret}
	}
	for name, row := range map[string]struct {
		spec alert.ChannelSpec
		says string // of the error
	}{
		"its host":               {mail("smtp.example.com:587", "OUTLAST_SECRET_MAIL", ""), ""},
		"its host and port":      {mail("mail.example.com:465", "OUTLAST_SECRET_MAIL", ""), ""},
		"another port":           {mail("mail.example.com:25", "OUTLAST_SECRET_MAIL", ""), "is not for"},
		"another host":           {mail("evil.example.com:587", "OUTLAST_SECRET_MAIL", ""), "is not for"},
		"a part of its host":     {mail("example.com:587", "OUTLAST_SECRET_MAIL", ""), "is not for"},
		"for no host":            {mail("smtp.example.com:587", "OUTLAST_SECRET_FREE", ""), "is not for"},
		"another variable":       {mail("smtp.example.com:587", "OUTLAST_KEY_1", ""), "for channels of the configuration file"},
		"the list of hosts":      {mail("smtp.example.com:587", "OUTLAST_SECRET_MAIL_HOSTS", ""), "for channels of the configuration file"},
		"a file":                 {mail("smtp.example.com:587", "", "/etc/outlast/k1"), "files of the server"},
		"a URL":                  {hook("", "OUTLAST_SECRET_HOOK", ""), ""},
		"a URL of another":       {hook("", "HOOK", ""), "for channels of the configuration file"},
		"a URL for other hosts":  {hook("", "OUTLAST_SECRET_BOUND", ""), "is not for"},
		"a password as a URL":    {hook("", "OUTLAST_SECRET_FREE", ""), "does not hold a URL"},
		"signed for its host":    {hook("", "OUTLAST_SECRET_HOOK", "OUTLAST_SECRET_SIGN"), ""},
		"signed for its IPv6":    {hook("https://[2001:db8::1]:8443/x", "", "OUTLAST_SECRET_SIGN"), ""},
		"signed for another":     {hook("https://evil.example.com/x", "", "OUTLAST_SECRET_SIGN"), "is not for"},
		"a URL as a password":    {mail("hooks.example.com:587", "OUTLAST_SECRET_HOOK", ""), "is not for"},
		"for the usual host":     {alert.ChannelSpec{Kind: alert.ToPagerDuty, SecretEnv: "OUTLAST_SECRET_PAGER"}, ""},
		"for another pager":      {alert.ChannelSpec{Kind: alert.ToPagerDuty, SecretEnv: "OUTLAST_SECRET_PAGER", URL: "https://evil.example.com"}, "is not for"},
		"a secret of a file too": {alert.ChannelSpec{Kind: alert.ToWebhook, URL: "https://hooks.example.com", SecretFile: "/etc/outlast/k1"}, "files of the server"},
	} {
		read := ""
		o := Options{
			HTTP:   safehttp.New(safehttp.Options{}),
			Lookup: func(name string) (string, bool) { value, set := env[name]; return value, set },
			ReadFile: func(name string) ([]byte, error) {
				read = name
				return []byte("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"), nil
			},
		}
		row.spec.Name = "c"
		_, err := New(&row.spec, o)
		if (err == nil) != (row.says == "") || err != nil && (!strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "canary")) || read != "" {
			t.Errorf("%s: %v, read %q", name, err, read)
		}
		o.Trusted = true
		if _, err := New(&row.spec, o); err != nil && row.says != "does not hold a URL" {
			t.Errorf("%s: of the configuration: %v", name, err)
		}
	}
}
