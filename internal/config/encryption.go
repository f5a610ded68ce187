package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// Encryption says where the keys are that seal what tasks carry.
type Encryption struct {
	Key    string         `json:"key" doc:"Name of the key that encrypts; may be left out where there is one only."`
	Keys   map[string]Key `json:"keys" doc:"Keys by name: the one that encrypts, and older ones that may still be needed to read."`
	Strict bool           `json:"strict" doc:"true to run no task whose payload is not encrypted."`
	Clear  bool           `json:"clear" doc:"true to leave new tasks in the clear, and use the keys to read only."`
}

// Key is where a key is: 32 bytes as Base64 or hexadecimal digits.
type Key struct {
	Env  string `json:"env" doc:"Environment variable with the key: 32 bytes as Base64 or hexadecimal digits."`
	File string `json:"file" doc:"File with the key, instead of a variable."`
}

func (e *Encryption) check(d *decoder) {
	for _, name := range slices.Sorted(maps.Keys(e.Keys)) {
		place, path := e.Keys[name], join("encryption.keys", name)
		switch {
		case !sealed.IsKeyName(name):
			d.refuse(path, "names are 1 to 64 letters, digits, dots, underscores and hyphens", "is not the name of a key")
		case (place.Env == "") == (place.File == ""):
			d.refuse(path, "such as {file: /etc/outlast/"+name+"}", "needs either env or file")
		case strings.HasPrefix(place.Env, channel.SecretPrefix):
			d.refuse(path+".env", "rename the variable", "channels created over the API may name variables that begin with %s", channel.SecretPrefix)
		case looksLikeKey(place.Env):
			d.refuse(path+".env", "put the key into a variable and give the name of that; make a new key, since this one is no longer secret", "is not the name of an environment variable")
		}
	}
	switch _, known := e.Keys[e.Key]; {
	case looksLikeKey(e.Key):
		d.refuse("encryption.key", "put the key into a file and give the name of that; make a new key, since this one is no longer secret", "is not the name of a key")
	case e.Key != "" && !known:
		d.refuse("encryption.key", "name one of encryption.keys", "there is no key %s", task.Quote(e.Key))
	case e.Key == "" && len(e.Keys) > 1 && !e.Clear:
		d.refuse("encryption.keys", "add encryption.key with its name", "must say which of the keys encrypts")
	case e.Strict && len(e.Keys) == 0:
		d.refuse("encryption.strict", "add encryption.keys", "there is no key")
	case e.Strict && e.Clear:
		d.refuse("encryption.clear", "remove one of the two", "strict runs only encrypted tasks, but new ones would not be encrypted")
	}
}

func looksLikeKey(variable string) bool {
	_, err := sealed.ParseKey(variable)
	return variable != "" && (err == nil || strings.ContainsAny(variable, "= \t\n+/"))
}
