package tasks

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// followFlags are the tasks that follow the end of one.
type followFlags struct{ fallback, onSuccess, onDead string }

func (f *followFlags) add(flags *pflag.FlagSet) {
	const form = "a type, a URL, or a JSON object as for POST /v1/tasks; @FILE reads a file"
	flags.StringVar(&f.fallback, "fallback", "", "task to enqueue with the same payload instead, when this one dies: "+form)
	flags.StringVar(&f.onSuccess, "on-success", "", "task to enqueue with the outcome when this one has succeeded: "+form)
	flags.StringVar(&f.onDead, "on-dead", "", "task to enqueue with the outcome when this one dies: "+form)
}

func (f *followFlags) read(c *cli.Env, d *client.Draft) (err error) {
	for _, one := range []struct {
		flag, text string
		to         **client.Follow
	}{{"fallback", f.fallback, &d.Fallback}, {"on-success", f.onSuccess, &d.OnSuccess}, {"on-dead", f.onDead, &d.OnDead}} {
		if *one.to, err = readFollow(c, one.flag, one.text); err != nil {
			return err
		}
	}
	return nil
}

// readFollow tells the three forms apart. What is wrong with the values is for the
// server to say; a key that it has not is wrong here already.
func readFollow(c *cli.Env, flag, text string) (*client.Follow, error) {
	switch {
	case text == "":
		return nil, nil
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		return &client.Follow{Target: &client.Target{URL: text}}, nil
	case text[0] != '{' && text[0] != '@' && text != "-":
		return &client.Follow{Type: text}, nil
	}
	data, err := c.ReadJSON(flag, text)
	if err != nil {
		return nil, err
	}
	follow, strict := &client.Follow{}, json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(follow); err != nil {
		return nil, cli.Usagef("--%s: %s", flag, strings.TrimPrefix(err.Error(), "json: "))
	}
	return follow, nil
}
