package task

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// A field that IsZero forgets would be lost where it is the only one, since a zero spec is
// stored as nothing; one without a name of its own in JSON everywhere.
func TestEveryFieldOfASpecCounts(t *testing.T) {
	if !new(Spec).IsZero() {
		t.Error("nothing was asked for, and it is not zero")
	}
	for field := range reflect.TypeFor[Spec]().Fields() {
		if field.Tag.Get("json") == "-" {
			continue
		}
		var spec, back Spec
		fill(t, reflect.ValueOf(&spec).Elem().FieldByIndex(field.Index))
		text, err := json.Marshal(&spec)
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || spec.IsZero() || !reflect.DeepEqual(spec, back) {
			t.Errorf("%s alone: IsZero %t, stored %s, read %+v, %v", field.Name, spec.IsZero(), text, back, err)
		}
	}
}

// fill gives a field some value.
func fill(t *testing.T, field reflect.Value) {
	switch value := field.Addr().Interface().(type) {
	case *json.RawMessage:
		*value = json.RawMessage(`{"a":1}`)
	case *time.Time:
		*value = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	case *ID:
		*value = NewID(time.Now(), rand.New(rand.NewPCG(1, 2)))
	case *map[string]string:
		*value = map[string]string{"a": "b"}
	case **Request:
		*value = &Request{URL: "https://example.com"}
	case **Follow:
		*value = &Follow{Type: "a"}
	default:
		switch field.Kind() {
		case reflect.String:
			field.SetString("a")
		case reflect.Int, reflect.Int64:
			field.SetInt(3)
		default:
			t.Fatalf("add a value of %s", field.Type())
		}
	}
}
