package policy

import (
	"cmp"
	"errors"
	"strings"

	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/push"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// parseFallback reads what runs when a task of the policy dies.
func parseFallback(body []byte) (*task.Follow, error) {
	follow := &task.Follow{}
	var wrong findings.List
	for _, field := range retry.FieldErrors(findings.Object(body, follow, strictjson.Absent)) {
		wrong.Refuse(strings.TrimSuffix("fallback."+field.Field, "."), cmp.Or(field.Hint, `such as {"type": "payment.refund"}`), "%s", field.Message)
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	for path, name := range map[string]string{"fallback.type": follow.Type, "fallback.queue": follow.Queue} {
		if name == "" && (path != "fallback.type" || follow.HTTP != nil) {
			continue
		}
		if err := CheckName(name); err != nil {
			wrong := *retry.FieldErrors(err)[0]
			wrong.Field = path
			return nil, &wrong
		}
	}
	if follow.HTTP != nil {
		if err := checkTarget(follow.HTTP); err != nil {
			return nil, err
		}
	}
	return follow, nil
}

// checkTarget refuses a request that could not be sent.
func checkTarget(request *task.Request) error {
	address := request.URL
	if _, path, ok := task.GroupOf(address); ok {
		address = "http://group" + path
	}
	_, badURL := safehttp.CheckURL(address)
	for _, wrong := range []struct {
		path string
		err  error
	}{{"url", badURL}, {"method", checkMethod(request.Method)}, {"headers", safehttp.CheckHeaders(request.Headers)}, {"success", checkSuccess(request.Success)}} {
		if wrong.err == nil {
			continue
		}
		field := &retry.FieldError{Field: "fallback.target." + wrong.path, Message: wrong.err.Error()}
		if invalid, ok := errors.AsType[*safehttp.InvalidError](wrong.err); ok {
			field.Message, field.Hint = invalid.Message, invalid.Hint
		} else if known := retry.FieldErrors(wrong.err); len(known) > 0 {
			field.Message, field.Hint = known[0].Message, known[0].Hint
		}
		return field
	}
	return nil
}

func checkMethod(method string) error {
	if method == "" {
		return nil
	}
	return safehttp.CheckMethod(method)
}

func checkSuccess(text string) error {
	if text == "" {
		return nil
	}
	return push.CheckSuccess(text)
}
