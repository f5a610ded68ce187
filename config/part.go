package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/alert/channel"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/store"
)

// Part is a named thing of a section that another package reads; it has checked
// the body.
type Part struct {
	Name string
	Body json.RawMessage
}

var (
	partType  = reflect.TypeFor[*Part]()
	partsType = reflect.TypeFor[[]*Part]()
)

// MarshalJSON writes the body.
func (p *Part) MarshalJSON() ([]byte, error) { return p.Body, nil }

// readers check the parts of each section and return the form that is kept.
var readers = map[string]func(name string, body []byte) (any, error){
	"alerts.channels": func(name string, body []byte) (any, error) {
		channel, err := channel.Parse(body)
		if err != nil {
			return nil, err
		}
		channel.Name = name
		return channel, channel.Check()
	},
	"alerts.rules": func(name string, body []byte) (any, error) {
		rule, err := alert.ParseRule(body)
		if err != nil {
			return nil, err
		}
		if rule.Name = name; name == "" {
			return rule, nil // refused where the list is read
		}
		return rule, rule.Check()
	},
	"schedules": readSchedule,
}

// readSchedule reads a schedule. Its task is checked as far as that is possible
// without the queues and handlers that there are.
func readSchedule(name string, body []byte) (any, error) {
	if err := schedule.CheckForm(body); err != nil {
		return nil, err
	}
	s, err := schedule.Parse(store.Object{Kind: schedule.Kind, Name: name, Body: body})
	if err != nil {
		return nil, &retry.FieldError{Message: err.Error()}
	}
	var wrong []error
	s.Check(func(path, message, hint string) {
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
	object, err := s.Object()
	return json.RawMessage(object.Body), err
}

// part reads one of a section.
func (d *decoder) part(section, name, path string, value any) *Part {
	form, err := readers[section](name, encoded(value))
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
func (d *decoder) parts(path string, value any, out reflect.Value) {
	list, ok := value.([]any)
	if !ok {
		if value != nil {
			d.refuse(path, "", "a list is wanted, not %s", shown(value))
		}
		return
	}
	var all []*Part
	seen := map[string]bool{}
	for i, element := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
		object, _ := element.(map[string]any)
		name, _ := object["name"].(string)
		switch {
		case name == "":
			d.refuse(at, "give it a name", "has no name")
		case seen[name]:
			d.refuse(at+".name", "names are given once", "%s is given twice", shown(name))
		}
		seen[name] = true
		if p := d.part(path, name, at, element); p != nil {
			all = append(all, p)
		}
	}
	out.Set(reflect.ValueOf(all))
}
