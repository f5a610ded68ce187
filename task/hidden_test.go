package task

import (
	"errors"
	"strings"
	"testing"
)

func TestHideJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1.50,"target":{"headers":{"Authorization":"x","Accept":"y"}}}`: `{"a":1.50,"target":{"headers":{"Accept":"y","Authorization":"[hidden]"}}}`,
		`[{"headers":{"x-KEY":"<1>"}},{"headers":{"Accept":"<1>"}}]`:         `[{"headers":{"x-KEY":"[hidden]"}},{"headers":{"Accept":"<1>"}}]`,
		`{"payload":{"headers":{"Cookie":"x"}}}`:                             `{"payload":{"headers":{"Cookie":"x"}}}`, // somebody's data
		`{ "headers" : {"Accept":"x"} }`:                                     `{ "headers" : {"Accept":"x"} }`,         // nothing to hide: as it is
		`{"headers":{"Cookie":"x"}} {}`:                                      `{"headers":{"Cookie":"x"}} {}`,          // no JSON
		`{"headers":"Cookie"}`:                                               `{"headers":"Cookie"}`,
		`{"headers":{"Cookie":["x"]}}`:                                       `{"headers":{"Cookie":"[hidden]"}}`,
		``:                                                                   ``,
	} {
		if got := string(HideJSON([]byte(text))); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestKeepJSON(t *testing.T) {
	const kept = `{"f":{"target":{"url":"https://A.example/x","headers":{"authorization":"secret","X-Key":"k"}}}}`
	for given, want := range map[string]string{
		`{"f":{"target":{"url":"https://a.example/y","headers":{"Authorization":"[hidden]"}}}}`: `{"f":{"target":{"headers":{"Authorization":"secret"},"url":"https://a.example/y"}}}`,
		`{"f":{"target":{"url":"https://b.example/","headers":{"X-Key":"new"}}}}`:               `{"f":{"target":{"url":"https://b.example/","headers":{"X-Key":"new"}}}}`,
		`{"f":{"payload":"[hidden]"}}`: `{"f":{"payload":"[hidden]"}}`,
	} {
		got, err := KeepJSON([]byte(given), []byte(kept))
		if err != nil || string(got) != want {
			t.Errorf("%s is %s, %v; want %s", given, got, err, want)
		}
	}
	for _, given := range []string{
		`{"f":{"target":{"url":"https://b.example/y","headers":{"Authorization":"[hidden]"}}}}`,
		`{"f":{"target":{"url":"http://a.example/y","headers":{"Authorization":"[hidden]"}}}}`,
		`{"f":{"target":{"group":"g","headers":{"Authorization":"[hidden]"}}}}`,
		`{"f":{"target":{"url":"https://a.example/y","headers":{"Cookie":"[hidden]"}}}}`,
		`{"g":{"target":{"url":"https://a.example/y","headers":{"Authorization":"[hidden]"}}}}`,
	} {
		got, err := KeepJSON([]byte(given), []byte(kept))
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeInvalid || len(e.Fields) != 1 || !strings.Contains(e.Fields[0].Path, "target.headers.") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s is %s, %v", given, got, err)
		}
	}
}
