package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Decoder returns what reads the payloads of a type.
func Decoder[T any]() func(payload []byte) (T, error) {
	var as any = decodeJSON[T]
	switch as.(type) {
	case func([]byte) ([]byte, error):
		as = func(payload []byte) ([]byte, error) { return payload, nil }
	case func([]byte) (json.RawMessage, error):
		as = func(payload []byte) (json.RawMessage, error) { return payload, nil }
	}
	return as.(func([]byte) (T, error))
}

func decodeJSON[T any](payload []byte) (value T, err error) {
	if len(payload) == 0 {
		return value, nil
	}
	if err := json.Unmarshal(payload, &value); err != nil {
		return value, &badPayload{err}
	}
	return value, nil
}

// badPayload is the failure of a task whose payload its handler cannot read.
type badPayload struct{ err error }

// Error says what does not fit without repeating the payload.
func (b *badPayload) Error() string {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](b.err); ok {
		what := "it"
		if mismatch.Field != "" {
			what = fmt.Sprintf("its field %q", mismatch.Field)
		}
		return fmt.Sprintf("the payload does not fit the handler: %s is not of type %s", what, mismatch.Type)
	}
	return "the payload does not fit the handler: " + b.err.Error()
}

// Unwrap returns the decoder's error.
func (b *badPayload) Unwrap() error { return b.err }

// RetryVerdict implements [retry.Verdictor].
func (b *badPayload) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent, Type: fmt.Sprintf("%T", b.err), Code: "bad_payload"}
}

// Encode is the counterpart of what a [Decoder] returns.
func Encode(payload any) ([]byte, error) {
	switch raw := payload.(type) {
	case []byte:
		return raw, nil
	case json.RawMessage:
		return raw, nil
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, task.Invalid("payload", "the value has no JSON form: "+err.Error(), "")
	}
	return text, nil
}

// KeptResult is the result as it is kept. One that cannot be kept is a failure: whoever
// waits for it would take nothing for an answer.
func KeptResult(result any) ([]byte, error) {
	text, err := ResultText(result)
	if err != nil {
		return nil, &BadResult{err}
	}
	return text, nil
}

// BadResult is the failure of an attempt that did its work, and whose result cannot be
// kept. Doing it again would change nothing.
type BadResult struct{ Err error }

// Error implements error.
func (b *BadResult) Error() string { return b.Err.Error() }

// Unwrap returns what is wrong with the result.
func (b *BadResult) Unwrap() error { return b.Err }

// RetryVerdict implements [retry.Verdictor].
func (b *BadResult) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.Done, Type: fmt.Sprintf("%T", b.Err), Code: task.BadResult}
}

// ResultText is a result in the form in which it is kept.
func ResultText(result any) ([]byte, error) {
	text, err := json.Marshal(result)
	if err != nil {
		return nil, task.Invalid("result", "the value has no JSON form: "+err.Error(), "")
	}
	return text, CheckResult(text)
}

// CheckResult refuses a result that is too large to be kept.
func CheckResult(text []byte) error {
	if len(text) <= task.MaxResult {
		return nil
	}
	message := "the result has " + strconv.Itoa(len(text)) + " bytes; the limit is " + strconv.Itoa(task.MaxResult)
	return &task.Error{Code: task.CodeTooLarge, Message: message, Hint: "keep it elsewhere and return where it is",
		Fields: []task.Field{{Path: "result", Message: message}}}
}
