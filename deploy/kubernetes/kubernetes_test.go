// Package kubernetes checks the manifests of this directory against the Go types of the APIs
// that they are for.
package kubernetes

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// manifests are all of them.
type manifests struct {
	deployment apps.Deployment
	service    core.Service
	budget     policy.PodDisruptionBudget
	job        batch.Job
	monitor    monitoring.ServiceMonitor
}

// read decodes every document of every file. A field that its type does not have is an
// error, and so is a document of an unknown kind.
func read(t *testing.T) *manifests {
	m := &manifests{}
	kinds := map[string]any{
		"apps/v1 Deployment": &m.deployment, "v1 Service": &m.service, "policy/v1 PodDisruptionBudget": &m.budget,
		"batch/v1 Job": &m.job, "monitoring.coreos.com/v1 ServiceMonitor": &m.monitor,
	}
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(content, []byte("\n---\n")) {
			var kind struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal(document, &kind); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			name := kind.APIVersion + " " + kind.Kind
			into, known := kinds[name]
			if !known {
				t.Fatalf("%s: %q is unknown, or there twice", file, name)
			}
			delete(kinds, name)
			if err := yaml.UnmarshalStrict(document, into, yaml.DisallowUnknownFields); err != nil {
				t.Fatalf("%s: %s: %v", file, name, err)
			}
		}
	}
	if len(kinds) > 0 {
		t.Fatalf("there is no %q", slices.Collect(maps.Keys(kinds)))
	}
	return m
}

// The manifests are of the types that they name, and mean one another.
func TestManifests(t *testing.T) {
	m := read(t)
	pod := m.deployment.Spec.Template
	labels := pod.Labels
	for what, selector := range map[string]map[string]string{
		"deployment": m.deployment.Spec.Selector.MatchLabels, "service": m.service.Spec.Selector, "budget": m.budget.Spec.Selector.MatchLabels,
		"spread": pod.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels,
	} {
		if !maps.Equal(selector, labels) {
			t.Errorf("the %s is about %v, pods have %v", what, selector, labels)
		}
	}
	if selected := m.monitor.Spec.Selector.MatchLabels; !maps.Equal(selected, m.service.Labels) {
		t.Errorf("the monitor is about %v, the service has %v", selected, m.service.Labels)
	}
	server := pod.Spec.Containers[0]
	port, exposed := server.Ports[0], m.service.Spec.Ports[0]
	if exposed.TargetPort.StrVal != port.Name || exposed.Port != port.ContainerPort || m.monitor.Spec.Endpoints[0].Port != exposed.Name {
		t.Errorf("ports: %+v, %+v, %s", port, exposed, m.monitor.Spec.Endpoints[0].Port)
	}
	for path, probe := range map[string]*core.Probe{"/livez": server.LivenessProbe, "/readyz": server.ReadinessProbe} {
		if probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != port.Name {
			t.Errorf("the probe of %s is %+v", path, probe)
		}
	}
	if m.job.Spec.Template.Spec.Containers[0].Image != server.Image {
		t.Error("the token is made by another image")
	}
	if name := m.service.Name; name != "outlast" {
		t.Errorf("the job of Prometheus is %q, the rule OutlastDown is about outlast", name)
	}
}

// A stop has more time than it needs: the wait before the signal, 25 s of grace and 15 s
// after them. A drain leaves a pod at work.
func TestStops(t *testing.T) {
	m := read(t)
	pod := m.deployment.Spec.Template.Spec
	before := time.Duration(pod.Containers[0].Lifecycle.PreStop.Sleep.Seconds) * time.Second
	if limit := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; limit <= before+40*time.Second {
		t.Errorf("a stop gets %s, and waits %s beforehand", limit, before)
	}
	replicas, away := *m.deployment.Spec.Replicas, m.budget.Spec.MaxUnavailable.IntVal
	if replicas <= away || m.deployment.Spec.Strategy.RollingUpdate.MaxUnavailable.IntVal != 0 {
		t.Errorf("%d of %d pods may be away", away, replicas)
	}
}

// No container may do more than it must, each says what it needs, and what is secret comes
// from a Secret that the page about Kubernetes makes.
func TestRights(t *testing.T) {
	m := read(t)
	page, err := os.ReadFile("../../docs/how-to/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	secret := func(name, key string) {
		if !strings.Contains(string(page), "create secret generic "+name+" --from-literal="+key+"=") {
			t.Errorf("the page does not make the secret %s with the key %s", name, key)
		}
	}
	credentials := m.monitor.Spec.Endpoints[0].Authorization.Credentials
	secret(credentials.Name, credentials.Key)
	for _, pod := range []core.PodSpec{m.deployment.Spec.Template.Spec, m.job.Spec.Template.Spec} {
		c := pod.Containers[0]
		all, own := pod.SecurityContext, c.SecurityContext
		if !*all.RunAsNonRoot || *all.RunAsUser != 65532 || all.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault || *pod.AutomountServiceAccountToken ||
			*own.AllowPrivilegeEscalation || !*own.ReadOnlyRootFilesystem || !slices.Equal(own.Capabilities.Drop, []core.Capability{"ALL"}) {
			t.Errorf("%s may do too much: %+v, %+v", c.Name, all, own)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s does not say what it needs", c.Name)
		}
		store := c.Env[0]
		if store.Name != "OUTLAST_STORE" {
			t.Fatalf("%s: the first variable is %s", c.Name, store.Name)
		}
		secret(store.ValueFrom.SecretKeyRef.Name, store.ValueFrom.SecretKeyRef.Key)
		for _, variable := range c.Env {
			if variable.Name == "OUTLAST_ALLOW_TARGET" {
				t.Error("a private range is open")
			}
		}
	}
}
