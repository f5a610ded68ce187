package settings

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// keyFlags say where encryption keys are, never what they are: what stands on the
// command line, every process can read.
type keyFlags struct {
	current    string
	env, files []string
}

func (f *keyFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.current, "encryption-key", "", "name of the key that encrypts, if there are several; env OUTLAST_ENCRYPTION_KEY")
	flags.StringSliceVar(&f.env, "encryption-key-env", nil, "NAME=VARIABLE: the encryption key NAME is in this environment variable (repeatable); env OUTLAST_ENCRYPTION_KEY_ENV")
	flags.StringSliceVar(&f.files, "encryption-key-file", nil, "NAME=PATH: the encryption key NAME is in this file (repeatable); env OUTLAST_ENCRYPTION_KEY_FILE")
}

// put adds what flags say to what the file says, and goes before it.
func (f *keyFlags) put(to *config.Encryption) error {
	if _, err := sealed.ParseKey(f.current); err == nil {
		return cli.Usagef("--encryption-key takes the name of a key, not the key itself: make a new key, put it into a file and name that with --encryption-key-file")
	}
	keys := maps.Clone(to.Keys)
	for flag, one := range map[string]struct {
		texts []string
		place func(string) config.Key
		there func(string) bool
	}{
		"--encryption-key-env":  {f.env, func(text string) config.Key { return config.Key{Env: text} }, isSet},
		"--encryption-key-file": {f.files, func(text string) config.Key { return config.Key{File: text} }, isFile},
	} {
		for _, text := range one.texts {
			name, place, found := strings.Cut(text, "=")
			_, notKey := sealed.ParseKey(place) // a place may look like a key, too
			if !found || !sealed.IsKeyName(name) || place == "" || notKey == nil && !one.there(place) {
				return cli.Usagef("%s must be NAME=PLACE: the name of a key and the environment variable or file that contains it", flag)
			}
			if strings.HasPrefix(place, channel.SecretPrefix) {
				return cli.Usagef("%s: alert channels created over the API may read variables that begin with %s; rename the variable of the key", flag, channel.SecretPrefix)
			}
			if keys == nil {
				keys = map[string]config.Key{}
			}
			keys[name] = one.place(place)
		}
	}
	if to.Keys = keys; f.current != "" {
		to.Key = f.current
	}
	return nil
}

// KeyPlaces says where a command that works on a store itself finds its keys: in
// flags, or in the configuration file of the servers.
type KeyPlaces struct {
	keyFlags
	Config string // path of the file; "" for none
}

// Add defines the flags.
func (f *KeyPlaces) Add(flags *pflag.FlagSet) {
	f.keyFlags.add(flags)
	flags.StringVar(&f.Config, "config", "", "configuration file of the servers, which names the store and its encryption keys; env OUTLAST_CONFIG")
}

// Read is the file with what flags say before it; one of defaults without a file.
func (f *KeyPlaces) Read() (*config.File, error) {
	file, err := config.Parse("", nil)
	if f.Config != "" {
		file, err = ReadConfig(f.Config)
	}
	if err != nil {
		return nil, err
	}
	return file, f.put(&file.Encryption)
}

func isSet(variable string) bool {
	_, set := os.LookupEnv(variable)
	return set
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ReadKeys reads the keys. No error contains one.
func ReadKeys(e *config.Encryption) (sealed.Keys, error) {
	keys := sealed.Keys{Current: e.Key, Strict: e.Strict, Clear: e.Clear, Secrets: make(map[string][]byte, len(e.Keys))}
	for _, name := range slices.Sorted(maps.Keys(e.Keys)) {
		place := e.Keys[name]
		text, err := readKey(place)
		if err == nil {
			keys.Secrets[name], err = sealed.ParseKey(text)
		}
		if err != nil {
			from := "the environment variable " + task.Quote(place.Env)
			if place.File != "" {
				from = "the file " + task.Quote(place.File)
			}
			return sealed.Keys{}, &task.Error{
				Code: task.CodeInvalid, Message: fmt.Sprintf("the encryption key %s, from %s: %s", task.Quote(name), from, err),
				Hint: "a key is 32 random bytes: openssl rand -base64 32",
			}
		}
	}
	return keys, nil
}

// mostKeyText is how long a key is at most, with white space around it.
const mostKeyText = 1024

func readKey(place config.Key) (string, error) {
	if place.File == "" {
		text := os.Getenv(place.Env)
		if text == "" {
			return "", fmt.Errorf("it is not set")
		}
		return text, nil
	}
	file, err := os.Open(place.File)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(file, mostKeyText))
	return string(text), err
}
