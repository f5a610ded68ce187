package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
)

// found are the ids that a list has for a query, over all its pages.
func (a *api) found(path string, query url.Values) (ids []string) {
	a.t.Helper()
	for cursor := ""; ; {
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		var page client.Tasks
		a.call("GET", path+"?"+query.Encode(), "").is(200).into(&page)
		for _, t := range page.Tasks {
			ids = append(ids, t.ID.String())
		}
		if cursor = page.NextCursor; cursor == "" {
			slices.Sort(ids)
			return ids
		}
	}
}

// Tasks are found by id, by the beginning of one, by key, type and what their last
// error says, and by metadata, target and attempts.
func TestSearch(t *testing.T) {
	a := startOnFile(t, func(node *outlast.Client) {
		outlast.Handle(node, "dies", func(_ context.Context, why string) error { return outlast.GiveUp(errors.New(why)) })
		outlast.Handle(node, "works", func(context.Context, string) error { return nil })
	})
	first := client.NewID().String()
	add := func(fields string) string { // with ids that begin alike: their first digits are a time, which may pass
		body := `{"id":"` + first[:8] + client.NewID().String()[8:] + `",` + fields + `}`
		return a.call("POST", "/v1/tasks?wait=30s", body).is(200).id()
	}
	card := add(`"type":"dies","payload":"Card DECLINED by bank","metadata":{"region":"eu","tenant":"a:b"}`)
	well := add(`"type":"works","payload":"x","key":"order-7","metadata":{"region":"eu"}`)
	disk := add(`"type":"dies","payload":"disk full: 100%","metadata":{"region":"us"},"key":"order-7"`)
	for _, c := range []struct {
		path  string
		query url.Values
		want  []string
	}{
		{"/v1/tasks", url.Values{"q": {card}}, []string{card}},
		{"/v1/tasks", url.Values{"q": {strings.ToUpper(card)}}, []string{card}},
		{"/v1/tasks", url.Values{"q": {card[:30]}}, []string{card}},
		{"/v1/tasks", url.Values{"q": {card[:31]}}, []string{card}},
		{"/v1/tasks", url.Values{"q": {card[:8]}, "limit": {"1"}}, []string{card, disk, well}},
		{"/v1/tasks", url.Values{"q": {card[:8]}, "type": {"works"}}, []string{well}},
		{"/v1/tasks", url.Values{"q": {"order-7"}, "limit": {"1"}}, []string{disk, well}},
		{"/v1/tasks", url.Values{"q": {"works"}}, []string{well}},
		{"/v1/tasks", url.Values{"q": {"declined BY"}}, []string{card}},
		{"/v1/tasks", url.Values{"q": {"100%"}}, []string{disk}},
		{"/v1/tasks", url.Values{"q": {"0%"}, "state": {"succeeded"}}, nil},
		{"/v1/tasks", url.Values{"q": {"abcdef12"}}, nil},
		{"/v1/dead", url.Values{"q": {card}}, []string{card}},
		{"/v1/dead", url.Values{"q": {well}}, nil},
		{"/v1/dead", url.Values{"q": {"order-7"}}, []string{disk}},
		{"/v1/dead", url.Values{"q": {"d"}}, []string{card, disk}},
		{"/v1/tasks", url.Values{"metadata": {"region:eu"}}, []string{card, well}},
		{"/v1/tasks", url.Values{"metadata": {"region:eu", "tenant:a:b"}}, []string{card}},
		{"/v1/dead", url.Values{"metadata": {"region:us"}}, []string{disk}},
		{"/v1/tasks", url.Values{"target": {"works"}}, []string{well}},
		{"/v1/dead", url.Values{"target": {"works"}}, nil},
		{"/v1/tasks", url.Values{"attempt_min": {"1"}}, []string{card, disk, well}},
		{"/v1/dead", url.Values{"attempt_min": {"2"}}, nil},
	} {
		slices.Sort(c.want)
		if got := a.found(c.path, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s?%s: %v, want %v", c.path, c.query.Encode(), got, c.want)
		}
	}
	for _, query := range []string{"metadata=x", "metadata=a:1&metadata=a:2", "metadata=:1", "attempt_min=-1", "q=" + strings.Repeat("x", 513), "q=%00", "target=%00"} {
		a.call("GET", "/v1/tasks?"+query, "").is(400)
	}
	var matched client.Redriven
	a.call("POST", "/v1/dead/redrive", `{"filter":{"q":"disk FULL","metadata":{"region":"us"},"attempt_min":1,"target":"dies"},"dry_run":true}`).is(202).into(&matched)
	if matched.Matched != 1 {
		t.Errorf("%+v", matched)
	}
}

// A filter by more metadata than a task may have is refused, however it is asked for:
// each pair is looked for in every task.
func TestFilterOfTooMuchMetadata(t *testing.T) {
	a := start(t)
	query, pairs := url.Values{}, map[string]string{}
	for i := range 65 {
		query.Add("metadata", "n"+strconv.Itoa(i)+":a")
		pairs["n"+strconv.Itoa(i)] = "a"
	}
	body, err := json.Marshal(pairs)
	must(t, err)
	a.call("GET", "/v1/tasks?"+query.Encode(), "").problem(400, "invalid")
	a.call("GET", "/v1/dead/groups?"+query.Encode(), "").problem(400, "invalid")
	a.call("POST", "/v1/tasks/bulk", `{"action":"cancel","dry_run":true,"filter":{"metadata":`+string(body)+`}}`).problem(400, "invalid")
	a.call("POST", "/v1/dead/purge", `{"dry_run":true,"filter":{"metadata":`+string(body)+`}}`).problem(400, "invalid")
	a.call("GET", "/v1/tasks?metadata=n0:a", "").is(200)
}

// The last error of more tasks than a page looks at is searched page by page. A call
// walks on for a while, then ends with a cursor.
func TestSearchIsBounded(t *testing.T) {
	a := start(t)
	var drafts []outlast.Draft
	for i := range 20_500 {
		drafts = append(drafts, outlast.Draft{Type: "waits", Metadata: map[string]string{"n": strconv.Itoa(i)}})
	}
	for part := range slices.Chunk(drafts, 1000) {
		_, err := a.node.EnqueueMany(t.Context(), part, true)
		must(t, err)
	}
	for cursor, calls := "", 0; calls == 0 || cursor != ""; calls++ {
		var page client.Tasks
		a.call("GET", "/v1/tasks?q=nowhere&cursor="+url.QueryEscape(cursor), "").is(200).into(&page)
		if len(page.Tasks) != 0 || calls > 10 {
			t.Fatalf("%d tasks, call %d", len(page.Tasks), calls)
		}
		cursor = page.NextCursor
	}
	if got := a.found("/v1/tasks", url.Values{"metadata": {"n:3"}}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// A group tells when and where its letters died, and the error of its example.
func TestDeadGroup(t *testing.T) {
	a := startOnFile(t, func(node *outlast.Client) {
		outlast.Handle(node, "dies", func(_ context.Context, why string) error { return outlast.GiveUp(errors.New(why)) })
	})
	for _, why := range []string{"disk full", "disk full", "no such order"} {
		a.call("POST", "/v1/tasks?wait=10s", `{"type":"dies","payload":"`+why+`"}`).is(200)
	}
	var groups client.DeadGroups
	a.call("GET", "/v1/dead/groups", "").is(200).into(&groups)
	if len(groups.Groups) != 2 || groups.Groups[0].Trend != nil {
		t.Fatalf("%+v", groups)
	}
	a.call("GET", "/v1/dead/groups?trend", "").is(200).into(&groups)
	for i, want := range []int{2, 1} {
		trend := groups.Groups[i].Trend
		if trend == nil || len(trend.Hours) != 24 || trend.Hours[23]+trend.Hours[22] != want || trend.Counted != want || trend.ByReason["rejected"] != want || trend.ByTarget["dies"] != want || trend.ByRelease["(none)"] != want {
			t.Errorf("%+v", trend)
		}
	}
	var group client.DeadGroup
	a.call("GET", "/v1/dead/groups/"+groups.Groups[0].Fingerprint, "").is(200).into(&group)
	if group.Count != 2 || group.Trend.Counted != 2 || group.Error == nil || group.Error.Message != "disk full" || group.Error.Category == "" {
		t.Errorf("%+v", group)
	}
	a.call("GET", "/v1/dead/groups/none", "").problem(404, "not_found")
}
