package retry

import (
	"fmt"
	"testing"
)

// databaseError is an error with an SQLSTATE.
type databaseError string

func (e databaseError) Error() string    { return "connection timeout" }
func (e databaseError) SQLState() string { return string(e) }

// TestSQLState is the table of codes; the text must not matter.
func TestSQLState(t *testing.T) {
	for want, codes := range map[Verdict][]string{
		{Category: Conflict, Effect: Done}:       {"40001", "40P01", "40000", "55P03", "55006"},
		{Category: Network, Effect: Maybe}:       {"40003", "08007", "08000", "08003", "08006", "57P05", "25P03"},
		{Category: Unsent, Effect: NotSent}:      {"08001", "08004"},
		{Category: Throttled, Effect: NotSent}:   {"53300", "53400"},
		{Category: Unavailable, Effect: Maybe}:   {"53000", "53200", "57P01", "57P02"},
		{Category: Unavailable, Effect: NotSent}: {"57P03", "25006"},
		{Category: Local, Effect: Maybe}:         {"53100"},
		{Category: Timeout, Effect: Done}:        {"57014"},
		{Category: Bug, Effect: Maybe}:           {"XX000", "XX001", "XX002"},
		{Category: Permanent, Effect: Maybe}:     {"08P01", "58030"},
		{Category: Permanent, Effect: NotSent}:   {"3D000", "28P01", "28000"},
		{Category: Permanent, Effect: Done}: {"23505", "23P01", "40002", "55000", "57P04", "25P02", "42601", "42P01",
			"22001", "22P02"},
	} {
		for _, code := range codes {
			want.Code, want.Type = code, "retry.databaseError"
			if v := Classify(fmt.Errorf("insert: %w", databaseError(code))); v != want {
				t.Errorf("%s: %+v", code, v)
			}
		}
	}
	// Codes without a row fall through to the text.
	for _, code := range []string{"", "0", "99999"} {
		if v := Classify(databaseError(code)); v.Category != Timeout {
			t.Errorf("%q: %+v", code, v)
		}
	}
}
