package task_test

import (
	"encoding/hex"
	"hash/fnv"
	"testing"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/task"
)

// Fingerprints are kept with dead letters for a month, so they stay what they have
// always been: FNV-1a over the parts, each ended by a zero.
func TestFingerprintIsFNV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zé .:]{0,40}`) // nothing of it is replaced
		f := &task.Failure{Category: word.Draw(t, "category"), Type: word.Draw(t, "type"), Code: word.Draw(t, "code"), Message: word.Draw(t, "message")}
		taskType := word.Draw(t, "task type")
		sum := fnv.New64a()
		for _, part := range []string{taskType, f.Category, f.Type, f.Code, f.Message} {
			sum.Write([]byte(part + "\x00"))
		}
		if got, want := task.Fingerprint(taskType, f), hex.EncodeToString(sum.Sum(nil)); got != want {
			t.Errorf("%s of %+v, want %s", got, f, want)
		}
	})
}
