package client_test

import (
	"testing"

	"github.com/outlast-dev/outlast/client"
)

func TestPlainJSON(t *testing.T) {
	for in, want := range map[string]string{
		``: ``, `{"a":1}`: `{"a":1}`,
		`"a \u003e\u003C b \u0026\u0026 c"`:   `"a >< b && c"`,
		`"\\u003e \\\u003e \u00e9 \u0022 \n"`: `"\\u003e \\> \u00e9 \u0022 \n"`,
		`"\u00`:                               `"\u00`, `\`: `\`, `"\u003e`: `">`,
	} {
		if got := string(client.PlainJSON([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
