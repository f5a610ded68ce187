package channel

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/task"
)

// Bounds of a channel.
const (
	maxTimeout    = time.Minute
	mostMentions  = 50
	mostPerMinute = 6000
)

// Parse reads a channel from one JSON object: unknown keys are refused with the nearest
// known one. An error joins [retry.FieldError] values.
func Parse(data []byte) (*alert.ChannelSpec, error) {
	spec := &alert.ChannelSpec{}
	read := findings.Object(data, spec, strictjson.Absent)
	if findings.Whole(read) {
		return nil, read
	}
	if err := errors.Join(read, check(spec, false)); err != nil {
		return nil, err
	}
	return spec, nil
}

// Check reports what is wrong with a channel, as joined [retry.FieldError]
// values. Whether variables and files are there is not looked at.
func Check(s *alert.ChannelSpec) error { return check(s, true) }

// Settings is what alerts know of a channel beside how it sends.
func Settings(s *alert.ChannelSpec) alerts.Settings {
	set := alerts.Settings{Default: s.Default, Fallback: s.Fallback, Timeout: alerts.DefaultTimeout}
	if s.Timeout != nil {
		set.Timeout = time.Duration(*s.Timeout)
	}
	if kind := kindOf(s.Kind); kind != nil {
		set.Limits, set.Stateful = slices.Clone(kind.limits), kind.stateful
	}
	if s.Rate != nil {
		set.Limits = append(set.Limits, alerts.PerMinute(*s.Rate))
	}
	return set
}

func check(s *alert.ChannelSpec, named bool) error {
	var f findings.List
	if named || s.Name != "" {
		f.Add(alerts.CheckName("name", s.Name))
	}
	kind := kindOf(s.Kind)
	switch {
	case s.Kind == "":
		f.Refuse("kind", "one of "+strings.Join(names(), ", "), "is required")
		return f.Err()
	case kind == nil:
		f.Refuse("kind", findings.Nearest(string(s.Kind), names()), "%s is not a kind of channel", task.Quote(string(s.Kind)))
		return f.Err()
	}
	checkFields(s, kind, &f)
	if kind.check != nil {
		kind.check(s, f.Refuse)
	}
	if s.Fallback != "" {
		f.Add(alerts.CheckName("fallback", s.Fallback))
		if s.Name != "" && s.Fallback == s.Name {
			f.Refuse("fallback", "name another channel", "is the channel itself")
		}
	}
	if s.Rate != nil && (*s.Rate < 1 || *s.Rate > mostPerMinute) {
		f.Refuse("rate", "messages per minute", "%d is outside 1 to %d", *s.Rate, mostPerMinute)
	}
	if s.Timeout != nil && (time.Duration(*s.Timeout) < 100*time.Millisecond || time.Duration(*s.Timeout) > maxTimeout) {
		f.Refuse("timeout", "", "%s is outside 100ms to %s", plaintext.Span(time.Duration(*s.Timeout)), plaintext.Span(maxTimeout))
	}
	checkMentions(s, kind, &f)
	return f.Err()
}

// checkFields refuses fields that the kind does not have, asks for those that it needs,
// and looks at the places of secrets.
func checkFields(s *alert.ChannelSpec, kind *kind, f *findings.List) {
	value := reflect.ValueOf(s).Elem()
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		if value.Field(i).IsZero() || slices.Contains(everywhere, name) || kind.has(name) {
			continue
		}
		if name == "url" && kind.has("url_env") {
			f.Refuse("url", "put it into an environment variable and name that in url_env", "holds the robot's access token, which is a secret")
			continue
		}
		f.Refuse(name, "leave it out", "a channel of kind %s %s", kind.name, without(name))
	}
	for _, field := range kind.fields {
		if field.required && !strings.HasSuffix(field.name, "_env") && lacks(s, field.name) {
			f.Refuse(field.name, field.about, "is required")
		}
	}
	for _, p := range secretPlaces(s) {
		env := p.what + "_env"
		switch given := count(p.written, p.variable != "", p.file != ""); {
		case given > 1 && kind.has(env):
			f.Refuse(env, "give one of them", "is given together with another place of it")
		case given == 0 && kind.needs(env):
			f.Refuse(env, "name the environment variable that holds it", "is required")
		}
		if len(p.variable) > 128 || strings.ContainsFunc(p.variable, notInVariable) {
			f.Refuse(env, "write the name of the variable, not what it holds", "is not the name of an environment variable")
		}
	}
}

// lacks reports whether a field is empty, by its name in JSON.
func lacks(s *alert.ChannelSpec, name string) bool {
	value := reflect.ValueOf(s).Elem()
	for i := range value.NumField() {
		if tag, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ","); tag == name {
			return value.Field(i).IsZero() || value.Field(i).Kind() == reflect.Slice && value.Field(i).Len() == 0
		}
	}
	return true
}

// without is how a kind does without a field.
func without(field string) string {
	switch strings.TrimSuffix(strings.TrimSuffix(field, "_env"), "_file") {
	case "url":
		return "has no URL"
	case "secret":
		return "is not signed"
	case "mentions":
		return "mentions nobody"
	}
	return "has no " + field
}

func notInVariable(r rune) bool {
	return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
}

func checkMentions(s *alert.ChannelSpec, kind *kind, f *findings.List) {
	if len(s.Mentions) == 0 || !kind.has("mentions") {
		return
	}
	if len(s.Mentions) > mostMentions {
		f.Refuse("mentions", "", "has %d names; the limit is %d", len(s.Mentions), mostMentions)
		return
	}
	for i, mention := range s.Mentions {
		if mention == "" || len(mention) > 128 || strings.ContainsFunc(mention, notInMention) {
			f.Refuse("mentions["+strconv.Itoa(i)+"]", "a mobile number, a member id, or all", "%s mentions nobody", task.Quote(mention))
		}
	}
}

func notInMention(r rune) bool {
	return notInVariable(r) && !strings.ContainsRune(".-+@", r)
}
