package push

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// ParseSecret reads a signing secret in the form of Standard Webhooks: "whsec_"
// and 24 to 64 bytes in base64. The error does not contain the text.
func ParseSecret(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, "whsec_")
	if !ok {
		return nil, errors.New("a signing secret begins with whsec_ (make one with: echo whsec_$(openssl rand -base64 32))")
	}
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(secret) < 24 || len(secret) > 64 {
		return nil, errors.New("what follows whsec_ in a signing secret is 24 to 64 bytes in base64")
	}
	return secret, nil
}

// sign returns the value of Webhook-Signature: HMAC-SHA256 over id, timestamp
// and payload with dots between (Standard Webhooks, version v1).
func sign(secret []byte, id, timestamp string, payload []byte) string {
	mac := hmac.New(sha256.New, secret)
	head := make([]byte, 0, 64)
	head = append(append(head, id...), '.')
	head = append(append(head, timestamp...), '.')
	mac.Write(head)
	mac.Write(payload)
	var sum [sha256.Size]byte
	out := make([]byte, 3, 3+44)
	copy(out, "v1,")
	return string(base64.StdEncoding.AppendEncode(out, mac.Sum(sum[:0])))
}
