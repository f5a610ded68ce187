package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Part is a named thing of a section that another package reads; it has checked
// the body.
type Part struct {
	Name string
	Body json.RawMessage
}

// MarshalJSON writes the body.
func (p *Part) MarshalJSON() ([]byte, error) { return p.Body, nil }

// readers check the parts of each section and return the form that is kept.
var readers = map[string]func(name string, body []byte) (any, error){
	"alerts.channels": func(name string, body []byte) (any, error) {
		spec, err := channel.Parse(body)
		if err != nil {
			return nil, err
		}
		spec.Name = name
		return spec, channel.Check(spec)
	},
	"alerts.rules": func(name string, body []byte) (any, error) {
		rule, err := alerts.ParseRule(body)
		if err != nil {
			return nil, err
		}
		if rule.Name = name; name == "" {
			return rule, nil // refused where the list is read
		}
		return rule, alerts.CheckRule(rule)
	},
	"schedules": readSchedule,
}

// readSchedule reads a schedule. Its task is checked as far as that is possible
// without the queues and handlers that there are.
func readSchedule(name string, body []byte) (any, error) {
	if err := schedules.CheckForm(body); err != nil {
		return nil, err
	}
	s, err := schedules.Parse(store.Object{Kind: schedules.Kind, Name: name, Body: body})
	if err != nil {
		return nil, &retry.FieldError{Message: err.Error()}
	}
	var wrong []error
	schedules.Check(&s, func(path, message, hint string) {
		wrong = append(wrong, &retry.FieldError{Field: path, Message: message, Hint: hint})
	})
	if s.Task.Type == "" && s.Task.Target == nil {
		wrong = append(wrong, &retry.FieldError{Field: "task.type", Message: "is required", Hint: "name the handler, or give a target.url for an HTTP request"})
	}
	if len(s.Task.Retry) > 0 {
		_, err := policy.ParseInline(s.Task.Retry)
		for _, field := range retry.FieldErrors(err) {
			at := strings.TrimSuffix("task.retry."+field.Field, ".")
			wrong = append(wrong, &retry.FieldError{Field: at, Message: field.Message, Hint: field.Hint})
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	object, err := schedules.Object(&s)
	return json.RawMessage(object.Body), err
}

// part reads one of a section whose keys are names.
func (d *decoder) part(out **Part, from *strictjson.Decoder) {
	section, path := "schedules", from.Path()
	if strings.HasPrefix(path, "alerts.") {
		section = "alerts.channels"
	}
	*out = d.partOf(section, path[len(section)+1:], path, bodyOf(from))
}

func (d *decoder) partOf(section, name, path string, text []byte) *Part {
	form, err := readers[section](name, text)
	d.fieldErrors(path, err)
	if err != nil {
		return nil
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(form); err != nil {
		d.refuse(path, "", "%v", err)
		return nil
	}
	return &Part{name, bytes.TrimSpace(body.Bytes())}
}

// parts reads a section that is a list, in which each has its name inside.
func (d *decoder) parts(out *[]*Part, from *strictjson.Decoder) {
	if from.Kind() == 'n' { // nothing stands under the key
		from.Raw()
		return
	}
	path, seen := from.Path(), map[string]bool{}
	var list []json.RawMessage
	from.Value(&list)
	for i, text := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
		var named struct{ Name string }
		_ = json.Unmarshal(text, &named) // what is no object is refused below
		switch name := named.Name; {
		case name == "":
			d.refuse(at, "give it a name", "has no name")
		case seen[name]:
			d.refuse(at+".name", "names are given once", "%s is given twice", task.Quote(name))
		}
		seen[named.Name] = true
		if p := d.partOf(path, named.Name, at, text); p != nil {
			*out = append(*out, p)
		}
	}
}
