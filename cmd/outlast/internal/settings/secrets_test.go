package settings

import (
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/internal/config"
)

// TestSecretsOfTargetsAndGroups: the file names secrets of hosts and of worker groups; a
// flag goes before.
func TestSecretsOfTargetsAndGroups(t *testing.T) {
	file := &config.File{}
	file.Targets = map[string]config.Target{"api.example.com": {SecretEnv: "HOST"}}
	file.Groups = map[string]config.Group{"mailers": {SecretEnv: "FILE"}, "others": {}}
	for variable, fill := range map[string]string{"HOST": "aaaaaaaa", "FILE": "bbbbbbbb", "FLAG": "cccccccc"} {
		t.Setenv(variable, "whsec_"+fill+fill+fill+fill)
	}
	s := Settings{File: file}
	for _, row := range []struct {
		flags []string
		want  string
	}{{nil, "bbbbbbbb"}, {[]string{"group:mailers=FLAG"}, "cccccccc"}} {
		secrets, err := s.secrets(row.flags)
		if err != nil || len(secrets) != 2 || secrets["api.example.com"] == nil {
			t.Fatal(secrets, err)
		}
		want, err := readSecrets([]string{"group:mailers=" + map[string]string{"bbbbbbbb": "FILE", "cccccccc": "FLAG"}[row.want]})
		if err != nil || !slices.Equal(secrets["group:mailers"], want["group:mailers"]) {
			t.Errorf("%v: %v, %v", row.flags, secrets, err)
		}
	}
	if _, err := s.secrets([]string{"group:a b=FLAG"}); err == nil {
		t.Error("a group with a bad name has a secret")
	}
}
