package push

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
	"github.com/outlast-dev/outlast/task"
)

// CodeSuccess is the code of a failure whose answer [task.Request.Success] could
// not judge.
const CodeSuccess = "success_expression"

// answers is the language of conditions over answers.
var answers = &expr.Language{
	Variables: []expr.Variable{{Name: "status", Type: "int"}, {Name: "headers", Type: "map"}, {Name: "body", Type: "any"}},
	Size:      task.MaxResult,
	Hint:      `CEL over status, headers and body, such as status == 200 && body.code == 0`,
	Where:     "of answers",
}

// CheckSuccess refuses a condition that cannot be compiled. The error is a
// [retry.FieldError] without a field.
func CheckSuccess(text string) error {
	_, err := answers.Compile(text)
	return err
}

// judge lets the task's condition decide about an answer.
func (s *Sender) judge(ctx context.Context, cancel context.CancelFunc, t *task.Task, resp *http.Response, success *expr.Condition) (json.RawMessage, error) {
	body, err := readJudged(cancel, resp)
	if err != nil {
		return nil, s.brokenJudged(ctx, t, resp, body, err, success)
	}
	if isEncoded(resp.Header) {
		body = nil // it is never decompressed
	}
	holds, err := success.Holds(valuesOf(resp, body))
	switch {
	case err != nil:
		return nil, s.unjudged(t, resp, body, err)
	case holds:
		return parseResult(body), nil
	}
	return nil, s.refusedAnswer(t, resp, body)
}

// readJudged reads the body of an answer that a condition judges. A receiver that is
// ill may never end the body of a failure.
func readJudged(cancel context.CancelFunc, resp *http.Response) ([]byte, error) {
	waited := func() bool { return false }
	if resp.StatusCode/100 != 2 {
		timer := time.AfterFunc(excerptWait, cancel)
		waited = func() bool { return !timer.Stop() }
	}
	body, err := readAtMost(resp.Body, task.MaxResult+1, resp.ContentLength)
	if waited() && err != nil {
		err = errSlowBody
	}
	return body, err
}

var errSlowBody = fmt.Errorf("it did not end within %s: %w", excerptWait, os.ErrDeadlineExceeded)

// brokenJudged is the failure of an answer whose body broke off before it could be
// judged. A status that says never does not decide where the condition might have
// found a success, with the body or without.
func (s *Sender) brokenJudged(ctx context.Context, t *task.Task, resp *http.Response, body []byte, err error, success *expr.Condition) *Error {
	broken := brokenAnswer(ctx, t, resp, err)
	if resp.StatusCode/100 == 2 {
		return broken
	}
	failed := s.badAnswer(t, resp, body)
	if failed.Verdict.Category != retry.Permanent || refusesWithoutBody(success, resp) {
		return failed
	}
	broken.Verdict.Hint = failed.Verdict.Hint
	return broken
}

// refusesWithoutBody reports whether a condition does not hold whatever the body says.
func refusesWithoutBody(success *expr.Condition, resp *http.Response) bool {
	values := valuesOf(resp, nil)
	holds, err := success.Holds(func(name string) (any, bool) {
		if name == "body" {
			return nil, false
		}
		return values(name)
	})
	return err == nil && !holds
}

// valuesOf are the variables of a condition over an answer. The body is parsed only
// if the condition looks at it.
func valuesOf(resp *http.Response, body []byte) expr.Values {
	return func(name string) (any, bool) {
		switch name {
		case "status":
			return int64(resp.StatusCode), true
		case "headers":
			return lowerHeaders(resp.Header), true
		case "body":
			return bodyValue(body), true
		}
		return nil, false
	}
}

// lowerHeaders has the first value of each header under its name in lower case.
func lowerHeaders(from http.Header) map[string]any {
	headers := make(map[string]any, len(from))
	for name, values := range from {
		if len(values) > 0 {
			headers[strings.ToLower(name)] = strings.ToValidUTF8(values[0], "\ufffd")
		}
	}
	return headers
}

// bodyValue is what the JSON says, if the body is that and not too long, else the
// first 64 KiB of it as a text.
func bodyValue(body []byte) any {
	if result := parseResult(body); result != nil {
		var value any
		if json.Unmarshal(result, &value) == nil {
			return value
		}
	}
	return strings.ToValidUTF8(string(body[:min(len(body), task.MaxResult)]), "\ufffd")
}

// refusedAnswer is the failure of an answer for which the condition does not hold.
func (s *Sender) refusedAnswer(t *task.Task, resp *http.Response, body []byte) *Error {
	failed := s.badAnswer(t, resp, body)
	if resp.StatusCode/100 == 2 {
		failed.Message = answered(resp) + ", which target.success does not accept" + excerpt(t, body)
	}
	return failed
}

// unjudged is the failure of an answer about which the condition cannot tell.
func (s *Sender) unjudged(t *task.Task, resp *http.Response, body []byte, err error) *Error {
	failed := s.badAnswer(t, resp, body)
	failed.Verdict.Code, failed.Err = CodeSuccess, err
	failed.Message = fmt.Sprintf("%s, about which target.success cannot tell (%s)%s", answered(resp), clean(err.Error(), t), excerpt(t, body))
	return failed
}

// verdictOf is what an answer that is no success says, by its status and what its
// headers ask for. A 2xx that is none has done something, nobody knows what.
func (s *Sender) verdictOf(resp *http.Response) (verdict retry.Verdict) {
	if resp.StatusCode/100 == 2 {
		// As a status that means nothing, so that the headers count alike.
		verdict = retry.ClassifyHTTP(0, resp.Header, s.now())
		verdict.Code = strconv.Itoa(resp.StatusCode)
		verdict.Answered = true // it is the caller who refuses it
	} else {
		verdict = retryhttp.ClassifyResponse(resp, s.now())
	}
	if resp.StatusCode/100 == 3 {
		verdict.Answered = true // the caller has written the URL
	}
	verdict.Type = typeName
	return verdict
}
