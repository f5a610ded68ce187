package stores_test

import (
	"testing"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
)

// Commands that only look ask whether the store is there, of whatever kind it is.
func TestEachKindIsAskedWhetherItExists(t *testing.T) {
	for url, there := range map[string]bool{
		"postgres://u@127.0.0.1:1/d": true, "postgresql://u@127.0.0.1:1/d": true, "mysql://u@127.0.0.1:1/d": true,
		"mariadb://u@127.0.0.1:1/d": true, "sqlite:" + t.TempDir() + "/none.db": false,
	} {
		k, err := stores.Durable(url)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Exists(url); (err == nil) != there {
			t.Errorf("%s: %v", url, err)
		}
	}
}
