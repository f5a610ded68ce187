package config

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// Rules and fallbacks name channels of the file, or such as were put.
func TestChannelsThatNobodyHas(t *testing.T) {
	s := memory.New()
	_, err := Apply(t.Context(), s, parsed(t, `
alerts:
  channels:
    ops: {kind: log, fallback: spair}
    spare: {kind: log}
  rules:
    - {name: died, on: dead, channels: [ops, opps, log]}
    - {name: again, on: retry, channels: [pager]}
policies:
  payment: {alert: {channels: [ops, spair]}}
  mail: {alert: {channels: [func.mail]}}
`), "n")
	if strings.Contains(err.Error(), "func.mail") {
		t.Errorf("it may be a function: %v", err)
	}
	for _, want := range []string{
		`f.yaml:4: alerts.channels.ops.fallback: there is no channel "spair" (did you mean spare?)`,
		`f.yaml:7: alerts.rules[0].channels[1]: there is no channel "opps" (did you mean ops?)`,
		`f.yaml:10: policies.payment.alert.channels[1]: there is no channel "spair" (did you mean spare?)`,
		`f.yaml:8: alerts.rules[1].channels[0]: there is no channel "pager" (create it first, with PUT /v1/alerts/channels/{name} or in the configuration file; there are log, ops, spare)`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in\n%v", want, err)
		}
	}
	if objects, err := s.Objects(t.Context(), ""); err != nil || len(objects) != 0 {
		t.Errorf("half of it was applied: %+v, %v", objects, err)
	}
	put(t, s, kindChannel, "pager", `{"kind": "log"}`)
	applies(t, s, "alerts: {rules: [{name: again, on: retry, channels: [pager]}]}\n", Applied)
}

// A channel cannot be taken from under a rule that somebody has put.
func TestChannelsThatAreStillNamed(t *testing.T) {
	s := memory.New()
	applies(t, s, "alerts: {channels: {ops: {kind: log}, spare: {kind: log}}}\n", Applied)
	put(t, s, kindRule, "died", `{"on": "dead", "channels": ["ops"]}`)
	put(t, s, kindChannel, "own", `{"kind": "log", "fallback": "spare"}`)
	_, err := Apply(t.Context(), s, parsed(t, "alerts: {channels: {}}\n"), "n")
	for _, want := range []string{`lacks the channel "ops", which the rule "died" names`, `lacks the channel "spare", which the channel "own" names`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
	// The file takes over what names them, and may change that.
	applies(t, s, "alerts: {channels: {own: {kind: log}}, rules: [{name: died, on: dead}]}\n", Applied)
}

func put(t *testing.T, s store.Config, kind, name, body string) {
	t.Helper()
	if _, err := s.Change(t.Context(), store.Change{Put: []store.Object{{Kind: kind, Name: name, Body: []byte(body)}}}); err != nil {
		t.Fatal(err)
	}
}
