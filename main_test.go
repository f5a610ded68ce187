package outlast_test

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/outlast-dev/outlast/cel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
