package deploy

import (
	"testing"

	"sigs.k8s.io/yaml"
)

// The configuration that people begin with lets tasks call no private address and starts
// none by itself.
func TestSample(t *testing.T) {
	var sample map[string]any
	if err := yaml.Unmarshal([]byte(read(t, "outlast.yaml")), &sample); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"push", "schedules"} {
		if value, found := sample[key]; found {
			t.Errorf("%s: %v", key, value)
		}
	}
	if len(sample) < 5 {
		t.Errorf("only %d sections are left", len(sample))
	}
}
