package token

import "log/slog"

// secret is an [inspect.TokenSecret], whichever way it is printed.
type secret struct{ shown, text string }

// Reveal returns the text.
func (s secret) Reveal() string { return s.text }

// String shows which token it is, and no secret.
func (s secret) String() string { return s.shown }

// GoString implements [fmt.GoStringer] as String.
func (s secret) GoString() string { return s.shown }

// MarshalText implements [encoding.TextMarshaler] as String.
func (s secret) MarshalText() ([]byte, error) { return []byte(s.shown), nil }

// LogValue implements [slog.LogValuer] as String.
func (s secret) LogValue() slog.Value { return slog.StringValue(s.shown) }
