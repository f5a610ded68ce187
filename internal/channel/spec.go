package channel

import (
	"github.com/outlast-dev/outlast/alert"
)

// secretPlaces are where a channel may say that its secrets are: in a variable, or in a file.
func secretPlaces(s *alert.ChannelSpec) [3]place {
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
