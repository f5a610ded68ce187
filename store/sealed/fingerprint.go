package sealed

import (
	"encoding/hex"

	"github.com/outlast-dev/outlast/task"
)

// Fingerprint is [task.Fingerprint] under the key that seals here, so that who reads the
// database cannot try out what an error may have said; as it is where nothing is sealed.
// It is another for each key.
func (s *Store) Fingerprint(taskType string, f *task.Failure) string {
	plain := task.Fingerprint(taskType, f)
	k := s.ring.current
	if k == nil {
		return plain
	}
	sum := k.prints.of([]byte(plain))
	return hex.EncodeToString(sum[:len(plain)/2])
}
