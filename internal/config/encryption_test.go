package config_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/internal/config"
)

// What is wrong with encryption keys is found in the file, all at once, and a key
// that was written into it is not repeated.
func TestEncryptionKeys(t *testing.T) {
	secret := base64.StdEncoding.EncodeToString([]byte("canary-canary-canary-canary-1234"))
	for text, paths := range map[string][]string{
		`encryption: {keys: {k1: {env: KEY_1}}}`:                                    nil,
		`encryption: {key: k2, strict: true, keys: {k1: {env: A}, k2: {file: /k}}}`: nil,
		`encryption: {keys: {k1: {env: A}, k2: {file: /k}}}`:                        {"encryption.keys"},
		`encryption: {key: k3, keys: {k1: {env: A, file: /k}, "k 2": {}}}`:          {"encryption.key", "encryption.keys.k 2", "encryption.keys.k1"},
		`encryption: {strict: true}`:                                                {"encryption.strict"},
		`encryption: {key: "` + secret + `", keys: {k1: {env: "` + secret + `"}}}`:  {"encryption.key", "encryption.keys.k1.env"},
		`encryption: {keys: {k1: {secret: "x", env: A}}}`:                           {"encryption.keys.k1.secret"},
		`encryption: {keys: {k1: "` + secret + `"}}`:                                {"encryption.keys.k1"},
		`encryption: {keys: {k1: {file: [1]}}, key: 7}`:                             {"encryption.key", "encryption.keys.k1", "encryption.keys.k1.file"},
		`encryption: {keys: {` + strings.Repeat("k", 65) + `: {env: A}}}`:           {"encryption.keys." + strings.Repeat("k", 65)},
	} {
		_, err := config.Parse("f", []byte(text))
		var refused *config.Error
		var found []string
		if errors.As(err, &refused) {
			for _, problem := range refused.Problems {
				found = append(found, problem.Path)
			}
		}
		slices.Sort(found)
		found = slices.Compact(found)
		if !slices.Equal(found, paths) {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil && (strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), secret)) {
			t.Errorf("a key is shown: %v", err)
		}
	}
}
