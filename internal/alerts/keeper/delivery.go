package keeper

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/alert"
)

// delivery is the payload of a task that sends a message to a channel.
type delivery struct {
	Message *alert.Message `json:"message,omitempty"`
	// Whole says that the message is not to be put together with others: it is
	// such a collection, or goes to a fallback.
	Whole bool `json:"whole,omitempty"`
	// Flush says that what the channel was too busy for is to be sent now.
	Flush bool `json:"flush,omitempty"`
	// Instead is the channel that could not deliver it.
	Instead string `json:"instead,omitempty"`
}

// MessageOf reads the message of a delivery, and the channel that it is sent
// instead of; nil for a payload without a message.
func MessageOf(payload []byte) (m *alert.Message, instead string) {
	var d delivery
	if json.Unmarshal(payload, &d) != nil {
		return nil, ""
	}
	return d.Message, d.Instead
}

// silenced is the result of a delivery that a silence has kept back.
type silenced struct {
	Silence string `json:"silence"`
}

// collected is the result of a delivery whose message is told by another, since the
// channel may not send so many.
type collected struct {
	Collected bool `json:"collected"`
}

// IsCollected reports whether a delivery has joined a collection, by its result.
func IsCollected(result []byte) bool {
	var of collected
	return len(result) > 0 && json.Unmarshal(result, &of) == nil && of.Collected
}

// SilencedBy is the silence that has kept a delivery back, by its result; "" for none.
func SilencedBy(result []byte) string {
	var of silenced
	if len(result) == 0 || json.Unmarshal(result, &of) != nil {
		return ""
	}
	return of.Silence
}
