package alerts

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

// channelSpec is a channel by its name in the OpenAPI document.
type channelSpec alert.ChannelSpec

func (c *calls) addChannels(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/alerts/channels", ID: "list-alert-channels", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "alerts", Summary: "List alert channels", About: "With whether the node that is asked can send to each.",
	}, func(ctx context.Context, _ *route.None) (*route.Answer[client.AlertChannels], error) {
		channels, err := c.alerts.Channels.List(ctx)
		if err != nil {
			return nil, err
		}
		return route.OK(client.AlertChannels{Channels: wire.Each(channels, wireChannel)})
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/alerts/channels/{name}", ID: "get-alert-channel", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "alerts", Summary: "Get an alert channel", About: "With whether the node that is asked can send to it.",
		Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *name) (*route.Answer[client.AlertChannel], error) {
		return route.As(wireChannel)(c.alerts.Channels.Get(ctx, in.Name))
	})
	route.Handle(to, route.Route{
		Method: "PUT", Path: "/v1/alerts/channels/{name}", ID: "put-alert-channel", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "alerts", Limit: maxBody,
		Summary: "Create or replace an alert channel", About: "Secrets are not part of it: it names environment variables of the servers that hold them.",
		Request: reflect.TypeFor[channelSpec](), Errors: []task.Code{task.CodeManagedByFile},
	}, func(ctx context.Context, in *putInput) (*route.Answer[client.AlertChannel], error) {
		spec, err := channel.Parse(in.Body)
		if err != nil {
			return nil, refusedFields("the channel is invalid", err)
		}
		if spec.Name, err = oneName(spec.Name, in.Name); err != nil {
			return nil, err
		}
		return route.As(wireChannel)(c.alerts.Channels.Put(ctx, *spec))
	})
	route.Handle(to, route.Route{
		Method: "DELETE", Path: "/v1/alerts/channels/{name}", ID: "delete-alert-channel", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "alerts",
		Summary: "Delete an alert channel that nothing names", About: "One that the configuration file owns is refused.", Errors: []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeManagedByFile},
	}, func(ctx context.Context, in *name) (*route.Answer[route.None], error) {
		if err := c.alerts.Channels.Delete(ctx, in.Name); err != nil {
			return nil, err
		}
		return route.OK(route.None{})
	})
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/alerts/channels/{name}/test", ID: "test-alert-channel", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "alerts",
		Summary: "Send a test message and wait until it is accepted", About: "Each call sends one. With dry_run the channel is tried without a message.", Errors: []task.Code{task.CodeInvalid, task.CodeNotFound, task.CodeConflict},
	}, func(ctx context.Context, in *testInput) (*route.Answer[client.AlertTested], error) {
		try := c.alerts.Channels.Test
		if in.DryRun {
			try = c.alerts.Channels.Probe
		}
		if err := try(ctx, in.Name); err != nil {
			return nil, err
		}
		return route.OK(client.AlertTested{Channel: in.Name, Sent: !in.DryRun})
	})
}

func wireChannel(c *alert.ChannelView) client.AlertChannel {
	body, _ := json.Marshal(c.ChannelSpec) // it has been read from JSON
	return client.AlertChannel{
		Name: c.Name, Kind: string(c.Kind), Channel: client.PlainJSON(body), Managed: c.Managed, Actor: c.Actor, Version: c.Version,
		UpdatedAt: wire.Time(c.UpdatedAt), Usable: c.Usable, Problem: c.Problem,
	}
}
