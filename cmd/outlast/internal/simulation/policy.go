package simulation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/sim"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// readContender reads a policy for the simulator: a file with a policy as JSON, or
// the name of a preset.
func readContender(source string) (sim.Contender, error) {
	data, err := os.ReadFile(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		policy, presetErr := retry.Preset(source)
		if presetErr != nil {
			return sim.Contender{}, cli.Usagef("--policy %s is neither a file nor a preset; presets: %s", task.Quote(source), strings.Join(retry.Presets(), ", "))
		}
		return sim.Contender{Name: source, Policy: policy}, nil
	case err != nil:
		return sim.Contender{}, cli.Usagef("--policy: %v", err)
	}
	spec, err := retry.ParseSpec(data)
	if err != nil {
		return sim.Contender{}, wrongPolicy(source, err)
	}
	policy, err := spec.Policy()
	if err != nil {
		return sim.Contender{}, wrongPolicy(source, err)
	}
	name := filepath.Base(source)
	return sim.Contender{Name: strings.TrimSuffix(name, filepath.Ext(name)), Policy: policy}, nil
}

// wrongPolicy names everything that is wrong with the policy in a file.
func wrongPolicy(source string, err error) error {
	var all []string
	for _, wrong := range retry.FieldErrors(err) {
		all = append(all, wrong.Error())
	}
	return cli.Usagef("the policy in %s: %s", task.Quote(source), strings.Join(all, "; "))
}

func readContenders(sources []string) ([]sim.Contender, error) {
	var all []sim.Contender
	for _, source := range sources {
		c, err := readContender(source)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
