package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
)

func TestSelf(t *testing.T) {
	a := start(t)
	var self client.Self
	a.call("GET", "/v1/self", "").is(200).into(&self)
	if !self.Open || self.Token != nil || strings.Join(self.Permissions, " ") != "known follow view enqueue work operate administer" {
		t.Errorf("without tokens: %+v", self)
	}
	if server := self.Server; server.Node == "" || server.Store != "memory" || server.Safety.Mode != "none" || server.Safety.Loss == "" || server.StartedAt.IsZero() || time.Since(server.Time.Time) > time.Minute {
		t.Errorf("the server: %+v", server)
	}
	g := &guarded{api: a}
	made, secret, err := a.node.Inspector().Tokens.Create(t.Context(), inspect.TokenSpec{Name: "ops", Role: inspect.Viewer, Queues: []string{"red"}, TTL: time.Hour})
	must(t, err)
	a.call("GET", "/v1/self", "").problem(401, "unauthenticated")
	self = client.Self{}
	g.as("Bearer "+secret.Reveal(), "GET", "/v1/self", "").is(200).into(&self)
	if self.Open || self.Role != "viewer" || strings.Join(self.Queues, " ") != "red" || strings.Join(self.Permissions, " ") != "known follow view" {
		t.Errorf("with a token: %+v", self)
	}
	if self.Token.ID != made.ID || self.Token.Name != "ops" || !strings.HasPrefix(secret.Reveal(), self.Token.Prefix+"_") || !self.Token.ExpiresAt.Equal(made.ExpiresAt.Truncate(time.Microsecond)) {
		t.Errorf("the token: %+v", self.Token)
	}
}
