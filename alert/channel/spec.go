package channel

import "github.com/outlast-dev/outlast/retry"

// Spec is a channel as people write it. Secrets are never in it: it
// names environment variables or files that hold them. Read it with
// [Parse].
type Spec struct {
	Name string `json:"name,omitempty"`
	Kind Kind   `json:"kind"`
	// URL is the receiver of a webhook. The URLs of robots are secrets: they
	// come from URLEnv or URLFile.
	URL     string `json:"url,omitempty"`
	URLEnv  string `json:"url_env,omitempty"`
	URLFile string `json:"url_file,omitempty"`
	// SecretEnv or SecretFile hold the secret that messages are signed with:
	// SEC... on DingTalk, that of the bot on Feishu, whsec_... of a webhook.
	SecretEnv  string `json:"secret_env,omitempty"`
	SecretFile string `json:"secret_file,omitempty"`
	// Mentions are who is called by name in every message: mobile numbers on
	// DingTalk and WeCom, open ids on Feishu, member ids on Slack, and "all".
	Mentions []string `json:"mentions,omitempty"`
	// Fallback is the channel that gets what this one cannot deliver.
	Fallback string `json:"fallback,omitempty"`
	// Default marks a channel that gets the alerts of rules without channels.
	Default bool `json:"default,omitempty"`
	// Rate lowers the messages per minute below what the vendor allows; 0 for
	// the vendor's.
	Rate *int `json:"rate,omitempty"`
	// Timeout of one message; 10 s when absent.
	Timeout *retry.Duration `json:"timeout,omitempty"`

	// Of email:
	Address      string   `json:"address,omitempty"` // host:port of the server
	TLS          string   `json:"tls,omitempty"`     // starttls (default, required), implicit or none
	Username     string   `json:"username,omitempty"`
	PasswordEnv  string   `json:"password_env,omitempty"`
	PasswordFile string   `json:"password_file,omitempty"`
	From         string   `json:"from,omitempty"`
	To           []string `json:"to,omitempty"`
}

// secretPlaces are where a channel may say that its secrets are: in a variable, or in a file.
func (s *Spec) secretPlaces() [3]place {
	return [...]place{
		{"url", s.URLEnv, s.URLFile, s.URL != ""}, {"secret", s.SecretEnv, s.SecretFile, false}, {"password", s.PasswordEnv, s.PasswordFile, false},
	}
}

type place struct {
	what, variable, file string
	written              bool // in the channel itself
}

func count(conditions ...bool) (n int) {
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}
