package client

import (
	"context"
	"net/url"
)

// TargetChange is one change of a target's breaker or budget on one node.
type TargetChange struct {
	At     Time   `json:"at"`
	Node   string `json:"node"`
	Part   string `json:"part" enum:"breaker,budget"`
	State  string `json:"state" doc:"Of a breaker closed, open, half_open or ramping; of a budget exhausted or refilled."`
	Was    string `json:"was,omitempty"`
	Reason string `json:"reason,omitempty"`
	Until  Time   `json:"until,omitzero" doc:"When an open breaker probes, or a budget has its next token."`
}

// TargetHistory is what happened to a target, the newest first.
type TargetHistory struct {
	Changes []TargetChange `json:"changes"`
}

// TargetHistory tells what happened to a target.
func (c *Client) TargetHistory(ctx context.Context, name string) (*TargetHistory, error) {
	return get[TargetHistory](ctx, c, "/v1/targets/"+url.PathEscape(name)+"/history", nil)
}
