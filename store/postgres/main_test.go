package postgres_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(servertest.Wrap(m)) }
