package config

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/strictjson"
)

// Policies are those of a file that has nothing else.
type Policies struct {
	All []*policy.Policy // by name

	tree   *tree
	single string // name of the one that is the whole file, else ""
}

// Place fills in the lines of problems, whose paths begin with policies.NAME.
func (p *Policies) Place(all []Problem) {
	for i := range all {
		path := all[i].Path
		if p.single != "" {
			path = strings.TrimPrefix(strings.TrimPrefix(path, join("policies", p.single)), ".")
		}
		all[i].Line = cmp.Or(all[i].Line, p.tree.line(path))
	}
}

// ParsePolicies reads a file of policies: one policy if name is not empty, else
// what stands under the key "policies", and nothing else beside it. What is wrong
// is an [*Error].
func ParsePolicies(path, name string, data []byte) (*Policies, error) {
	t := readTree(data)
	d := &decoder{t}
	found := map[string]*policy.Policy{}
	switch root, isObject := t.root.(map[string]any); {
	case len(t.wrong) > 0:
	case t.root == nil:
		d.refuse("", "", "an object is wanted, not nothing")
	case !isObject:
		d.read("", t.root, &found)
	case name != "":
		made, err := policy.Parse(name, encoded(t.root))
		d.fieldErrors("", err)
		found[name] = made
	default:
		d.refuseBeside(root)
		d.read("policies", root["policies"], &found)
		if len(found) == 0 && len(t.wrong) == 0 {
			d.refuse("policies", "", "there are none")
		}
	}
	if err := problems(path, t.wrong); err != nil {
		return nil, err
	}
	all := &Policies{tree: t, single: name}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all.All = append(all.All, found[name])
	}
	return all, nil
}

// refuseBeside refuses what stands beside the policies, once for all of it: a file with
// keys of a server's configuration is one.
func (d *decoder) refuseBeside(root map[string]any) {
	beside := slices.DeleteFunc(slices.Sorted(maps.Keys(root)), func(key string) bool { return key == "policies" })
	if len(beside) == 0 {
		return
	}
	hint := "policies belong under the key policies; for a file with a single policy, use --name"
	if slices.ContainsFunc(beside, isSetting) {
		hint = "this is the configuration of a server: use outlast config check; a file of policies has only the key policies"
	}
	others := ""
	if len(beside) > 1 {
		others = ", and so are " + strings.Join(beside[1:], ", ")
	}
	d.refuse(beside[0], hint, "unknown key%s", others)
}

// isSetting reports whether the configuration of a server has a key.
func isSetting(name string) bool {
	of := reflect.TypeFor[Config]()
	for i := range of.NumField() {
		if strictjson.Name(of.Field(i)) == name {
			return true
		}
	}
	return false
}
