package client_test

import (
	"cmp"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// Every field of a filter is asked for: one that is left out would list what was not meant.
func TestEveryFieldOfAFilterIsAskedFor(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[client.Filter]()) {
		if field.Anonymous {
			continue
		}
		filter := client.Filter{}
		switch at := reflect.ValueOf(&filter).Elem().FieldByIndex(field.Index).Addr().Interface().(type) {
		case *string:
			*at = "x"
		case *int:
			*at = 1
		case *client.Time:
			at.Time = time.Now()
		case *map[string]string:
			*at = map[string]string{"a": "b"}
		default:
			t.Fatalf("say what a filter asks for by %s", field.Name)
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name = cmp.Or(name, strings.ToLower(field.Name)); !client.QueryOf(filter).Has(name) {
			t.Errorf("%s is not asked for: %v", name, client.QueryOf(filter))
		}
	}
}
