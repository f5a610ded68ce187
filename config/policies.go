package config

import (
	"maps"
	"reflect"
	"slices"

	"github.com/outlast-dev/outlast/policy"
)

// ParsePolicies reads a file of policies: one policy if name is not empty, else
// what stands under the key "policies", and nothing else beside it. What is wrong
// is an [*Error].
func ParsePolicies(path, name string, data []byte) ([]*policy.Policy, error) {
	t := readTree(data)
	d := &decoder{t}
	found := map[string]*policy.Policy{}
	out := reflect.ValueOf(&found).Elem()
	switch root, isObject := t.root.(map[string]any); {
	case len(t.wrong) > 0:
	case !isObject:
		d.refuse("", "", "an object is wanted, not %s", shown(t.root))
	case name != "":
		made, err := policy.Parse(name, encoded(t.root))
		d.fieldErrors("", err)
		found[name] = made
	default:
		for _, key := range slices.Sorted(maps.Keys(root)) {
			if key != "policies" {
				d.refuse(key, "policies stand under the key policies; for a file that is one policy, say --name", "unknown key")
			}
		}
		d.mapping("policies", root["policies"], out, "")
		if len(found) == 0 && len(t.wrong) == 0 {
			d.refuse("policies", "", "there are none")
		}
	}
	if err := problems(path, t.wrong); err != nil {
		return nil, err
	}
	all := make([]*policy.Policy, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[name])
	}
	return all, nil
}
