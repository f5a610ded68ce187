package retry_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing of this package outlives its purpose.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
