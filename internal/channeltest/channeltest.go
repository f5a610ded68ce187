// Package channeltest has what the tests of alert channels share.
package channeltest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
)

// Token and secret are in the URLs and passwords of the tests, and never in an error.
const (
	Token  = "canary-access-token"
	secret = "SECcanary"
)

// Hostile is a message whose texts try everything: mentions and markup of all
// vendors, line breaks, control and bidi characters, broken UTF-8.
func Hostile() *alert.Message {
	evil := "@all <!channel> <@U123> <at user_id=\"all\">x</at> [link](http://evil.example) **b**\r\nSubject: forged\n\x00\x1b[2J\u202egnp\xff \"}],\"at\":{\"isAtAll\":true}"
	return &alert.Message{
		ID: "0199f000-0000-7000-8000-000000000001", Kind: alert.Raised, Rule: "exhausted", Subject: "mail.send " + evil,
		Severity: alert.Critical, Text: "mail.send died " + evil, At: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC),
		Fields: []alert.Field{{Name: "error", Value: evil}}, HeldBack: 3, Names: []string{"a", evil}, Since: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
	}
}

// Huge has more text than any vendor takes, in runes of several bytes.
func Huge() *alert.Message {
	m := Hostile()
	m.Fields = []alert.Field{{Name: "error", Value: strings.Repeat("错误\"\\<&>🚑", 10_000)}}
	return m
}

// WantVerdict checks what an error advises, and that no secret is in it.
func WantVerdict(t *testing.T, err error, category retry.Category, code string, after time.Duration) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s %s", category, code)
	}
	v := retry.Classify(err)
	if v.Category != category || v.Code != code || v.Hint.After != after {
		t.Errorf("%v: %s %s after %s, want %s %s after %s", err, v.Category, v.Code, v.Hint.After, category, code, after)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if strings.Contains(cause.Error(), Token) || strings.Contains(cause.Error(), secret) {
			t.Errorf("a secret is in the error: %v", cause)
		}
	}
}
