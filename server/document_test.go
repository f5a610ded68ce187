package server_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	roles "github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// documents are the document of a server and its view in OpenAPI 3.0.
func documents(t *testing.T) (a *api, document, older map[string]any) {
	t.Helper()
	a = start(t)
	a.call("GET", "/openapi.json", "").is(200).into(&document)
	a.call("GET", "/openapi-3.0.json", "").is(200).into(&older)
	return a, document, older
}

// walk visits all objects of a document, with the way to each.
func walk(value any, way string, visit func(way string, object map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(way, value)
		for key, inner := range value {
			if key != "example" && key != "examples" || strings.HasSuffix(way, "/properties") {
				walk(inner, way+"/"+key, visit)
			}
		}
	case []any:
		for i, inner := range value {
			walk(inner, way+"/"+strconv.Itoa(i), visit)
		}
	}
}

// Whoever reads the document learns what each part is. No list and no parameter is null.
func TestDocumentDescribesEverything(t *testing.T) {
	_, document, _ := documents(t)
	tags, used := map[string]bool{}, map[string]bool{}
	for _, tag := range document["tags"].([]any) {
		tags[tag.(map[string]any)["name"].(string)] = true
	}
	properties := 0
	walk(document, "", func(way string, object map[string]any) {
		parts := strings.Split(way, "/")
		isProperty := len(parts) > 1 && parts[len(parts)-2] == "properties"
		_, isCall := object["operationId"]
		_, isParameter := object["in"]
		if about, _ := object["description"].(string); about == "" && (isProperty || isCall || isParameter && object["name"] != nil) {
			t.Errorf("%s has no description", way)
		}
		if isProperty {
			properties++
		}
		if kinds, several := object["type"].([]any); several && (kinds[0] == "array" || strings.Contains(way, "/parameters/")) {
			t.Errorf("%s can be null", way)
		}
		if isCall {
			used[object["tags"].([]any)[0].(string)] = true
		}
	})
	if properties == 0 || !maps.Equal(tags, used) {
		t.Errorf("%d properties; described are the tags %v, used %v", properties, tags, used)
	}
}

// In the view for older programs there is nothing that OpenAPI 3.0 does not have, and all the rest.
func TestOlderDocument(t *testing.T) {
	_, document, older := documents(t)
	if version := older["openapi"]; version != "3.0.3" {
		t.Errorf("version %v", version)
	}
	count := func(document map[string]any) (calls, properties, nullable int) {
		walk(document, "", func(way string, object map[string]any) {
			if object["operationId"] != nil {
				calls++
			}
			if strings.HasSuffix(way, "/properties") {
				properties += len(object)
			}
			kinds, several := object["type"].([]any)
			if several && slices.Contains(kinds, "null") || object["nullable"] == true || object["anyOf"] != nil {
				nullable++
			}
		})
		return calls, properties, nullable
	}
	calls, properties, nullable := count(document)
	if c, p, n := count(older); c != calls || p != properties || n != nullable || nullable == 0 {
		t.Errorf("%d calls of %d, %d properties of %d, %d that can be null of %d", c, calls, p, properties, n, nullable)
	}
	walk(older, "", func(way string, object map[string]any) {
		if strings.HasSuffix(way, "/properties") {
			return
		}
		_, several := object["type"].([]any)
		_, isNumber := object["exclusiveMinimum"].(float64)
		switch {
		case several, isNumber, object["type"] == "null", object["anyOf"] != nil, object["const"] != nil, object["examples"] != nil:
			t.Errorf("%s is not of OpenAPI 3.0: %v", way, object)
		case object["$ref"] != nil && len(object) > 1:
			t.Errorf("%s has something beside its $ref, which does not count there", way)
		case object["nullable"] == true && object["type"] == nil:
			t.Errorf("%s is nullable without a type, which does not count there", way)
		}
	})
}

// An example is what its object can be, and every request body has one.
func TestExamplesAreValid(t *testing.T) {
	a, document, _ := documents(t)
	text, err := os.ReadFile("internal/route/examples.json")
	must(t, err)
	var examples map[string]any
	must(t, json.Unmarshal(text, &examples))
	schemas := a.server.Schemas()
	for name, value := range examples {
		schema := schemas.Map()[name]
		if schema == nil {
			t.Errorf("there is no object %s", name)
			continue
		}
		result := &huma.ValidateResult{}
		huma.Validate(schemas, schema, huma.NewPathBuffer([]byte(name), len(name)), huma.ModeWriteToServer, value, result)
		for _, wrong := range result.Errors {
			t.Error(wrong)
		}
		for field := range value.(map[string]any) { // of an answer, which a schema lets have others
			if schema.Properties[field] == nil {
				t.Errorf("%s has no field %s", name, field)
			}
		}
	}
	walk(document, "", func(way string, object map[string]any) {
		body, _ := object["requestBody"].(map[string]any)
		if body == nil {
			return
		}
		ref, _ := body["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)["$ref"].(string)
		if name := strings.TrimPrefix(ref, "#/components/schemas/"); examples[name] == nil && object["operationId"] != "signal-task" { // which takes any JSON
			t.Errorf("%s takes %s, of which there is no example", way, name)
		}
	})
}

// Each enum of the document has the values that the code has, and no enum is without such.
func TestEnumsAreThoseOfTheCode(t *testing.T) {
	_, document, _ := documents(t)
	found := map[string][]string{}
	walk(document, "", func(way string, object map[string]any) {
		for name, value := range properties(object) {
			if enum := enumOf(value); enum != nil {
				found[way[strings.LastIndex(way, "/")+1:]+"."+name] = enum
			}
		}
		parameters, _ := object["parameters"].([]any)
		for _, parameter := range parameters {
			parameter := parameter.(map[string]any)
			if enum := enumOf(parameter["schema"]); enum != nil {
				found[object["operationId"].(string)+"?"+parameter["name"].(string)] = enum
			}
		}
	})
	for places, values := range codeEnums(t) {
		slices.Sort(values)
		for _, place := range strings.Fields(places) {
			if !slices.Equal(found[place], values) {
				t.Errorf("%s is one of %q, the code has %q", place, found[place], values)
			}
			delete(found, place)
		}
	}
	for places, folders := range codeLiterals {
		spelled := literals(t, folders)
		for _, place := range strings.Fields(places) {
			for _, value := range found[place] {
				if !spelled[value] {
					t.Errorf("%s can be %q, which stands nowhere in %s", place, value, folders)
				}
			}
			if found[place] == nil {
				t.Errorf("%s is no enum", place)
			}
			delete(found, place)
		}
	}
	for place, values := range found {
		t.Errorf("where are the values of %s in the code: %q?", place, values)
	}
}

func properties(object map[string]any) map[string]any {
	all, _ := object["properties"].(map[string]any)
	return all
}

// enumOf are the values of a property, or of what it lists, in their order.
func enumOf(schema any) (values []string) {
	object, _ := schema.(map[string]any)
	if items, ok := object["items"].(map[string]any); ok {
		object = items
	}
	enum, _ := object["enum"].([]any)
	for _, value := range enum {
		values = append(values, value.(string))
	}
	slices.Sort(values)
	return values
}

// codeEnums are the values of enums, by where these are in the document.
func codeEnums(t *testing.T) map[string][]string {
	states := texts(task.States[:])
	return map[string][]string{
		"AlertChannel.kind ChannelSpec.kind": constants(t, "../alert", "ChannelKind"),
		"AlertEvent.kind":                    constants(t, "../alert", "MessageKind"),
		"AlertEvent.severity Rule.severity":  slices.Clone(alerts.Severities),
		"AlertVariable.on":                   constants(t, "../alert", "On"),
		"Rule.on":                            constants(t, "../alert", "On", "task"),
		"Attempt.effect Failure.effect":      constants(t, "../retry", "Effect"),
		"Attempt.outcome":                    constants(t, "../task", "Outcome"),
		"TaskResult.outcome":                 constants(t, "../task", "Outcome", "crashed"),
		"Breaker.state":                      breakerStates(),
		"TargetChange.state":                 append(breakerStates(), "exhausted", "refilled"),
		"Bulk.action":                        constants(t, "../inspect", "BulkAction"),
		"BulkResult.status":                  constants(t, "../inspect", "BulkStatus", "waiting"),
		"OperationItem.status":               slices.Compact(slices.Sorted(slices.Values(append(constants(t, "../inspect", "RedriveStatus"), constants(t, "../inspect", "BulkStatus")...)))),
		"BulkResult.state BulkSample.state EventTask.state":                                        states,
		"OperationItem.state SettleResult.state Signaled.state":                                    states,
		"Task.state LeasedTask.state Letter.state watch-events?state":                              states,
		"Task.callback_state Task.compensation_state Task.fallback_state":                          states,
		"Letter.callback_state Letter.compensation_state Letter.fallback_state":                    states,
		"LeasedTask.callback_state LeasedTask.compensation_state LeasedTask.fallback_state":        states,
		"list-tasks?state list-dead?state export-dead?state group-dead?state get-dead-group?state": append(texts(task.States[:]), string(inspect.Failed)),
		"TaskFilter.state": {string(task.Pending), string(task.Running)},
		"DeadFilter.reason DeadGroup.reason EventTask.reason OperationItem.reason RedriveSample.reason Task.dead_reason": texts(task.DeadReasons[:]),
		"LeasedTask.dead_reason Letter.dead_reason": texts(task.DeadReasons[:]),
		"EventTask.what": constants(t, "../inspect", "EventKind"),
		"Group.kind":     constants(t, "../inspect", "DispatchKind"),
		"Group.state":    {inspect.GroupReady, inspect.GroupHeld, inspect.GroupSilent},
		"Task.follows LeasedTask.follows Letter.follows":     constants(t, "../task", "FollowKind"),
		"NewToken.role Self.role Token.role TokenSpec.role":  texts(roles.Roles),
		"NewToken.state Token.state":                         constants(t, "../inspect", "TokenState"),
		"Self.permissions":                                   texts(roles.Permissions[2:]),
		"Node.state Lane.owner_state":                        constants(t, "../store", "NodeState"),
		"Operation.state":                                    constants(t, "../store", "OperationState"),
		"TargetOrder.action":                                 constants(t, "../store", "TargetAction"),
		"PlanRequest.order_on_dead PolicyForm.order_on_dead": {retry.OrderBlock, retry.OrderSkip, retry.OrderPark},
		"PlanRequest.solve":                                  constants(t, "../plan", "Variable"),
		"PlanRule.then":                                      constants(t, "../retry", "Action"),
		"Policy.source":                                      constants(t, "../inspect", "PolicySource"),
		"Schedule.misfire ScheduleRule.misfire":              constants(t, "../inspect", "Misfire"),
		"Schedule.overlap ScheduleRule.overlap":              constants(t, "../inspect", "Overlap"),
		"StatsComparisons.by":                                constants(t, "../inspect", "ComparisonBy"),
		"TaskGroup.state list-task-groups?state":             constants(t, "../task", "GroupState"),
	}
}

// codeLiterals are the folders in which the values of the other enums stand, each as a literal.
var codeLiterals = map[string]string{
	"AlertAbout.kind":                          "../internal/alerts",
	"AlertEvent.state list-alert-events?state": "../internal/alerts ../alert",
	"AlertSilence.state":                       "../alert",
	"BlockedKey.mode":                          "../store/memory ../retry",
	"ChannelSpec.tls":                          "../internal/channel",
	"EventChanged.kind":                        "../internal/live ../internal/feed",
	"EventHello.nodes EventResync.reason":      "internal/events",
	"ExtendResult.status StepResult.status SettleResult.status": "internal/workers ../store ../task",
	"Health.status": "internal/health",
	"Node.kind":     "internal/nodes",
	"Queue.unknown_type QueueChange.unknown_type": "../store/internal/sqlstore ../internal/engine",
	"SelfSafety.mode":                   ".",
	"Series.source":                     "internal/statistics",
	"TargetChange.part":                 "../internal/stats ../internal/observe",
	"WhatIfRead.stopped WhatIfRun.kind": "internal/simulation",
}

func texts[S ~string](values []S) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

func breakerStates() []string {
	return []string{retry.Closed.String(), retry.Open.String(), retry.HalfOpen.String(), retry.Ramping.String()}
}

// constants are the values of the exported constants of a type in a folder, without some.
func constants(t *testing.T, folder, kind string, without ...string) (values []string) {
	inspectFiles(t, folder, func(node ast.Node) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !spec.Names[0].IsExported() {
			return
		}
		if named, ok := spec.Type.(*ast.Ident); !ok || named.Name != kind {
			return
		}
		if value := literal(spec.Values[0]); value != "" && !slices.Contains(without, value) {
			values = append(values, value)
		}
	})
	return values
}

// literals are the texts in the files of folders.
func literals(t *testing.T, folders string) map[string]bool {
	found := map[string]bool{}
	for folder := range strings.FieldsSeq(folders) {
		inspectFiles(t, folder, func(node ast.Node) {
			if expression, ok := node.(ast.Expr); ok {
				found[literal(expression)] = true
			}
		})
	}
	return found
}

func literal(node ast.Expr) string {
	basic, ok := node.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return ""
	}
	value, _ := strconv.Unquote(basic.Value) // it compiles
	return value
}

func inspectFiles(t *testing.T, folder string, visit func(ast.Node)) {
	t.Helper()
	files, err := fs.Glob(os.DirFS(folder), "*.go")
	must(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), folder+"/"+name, nil, parser.SkipObjectResolution)
		must(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			visit(node)
			return true
		})
	}
}
