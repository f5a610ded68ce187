package store_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/store"
)

// What a node is, stops or wants is nothing that it can start.
func TestCapabilities(t *testing.T) {
	reach := "allow=10.0.0.0/8 sign=api.example.com"
	capabilities := []string{"a", "b", store.Push, store.Ability(reach), store.Ability("sign=other"), store.Ability("")}
	for _, c := range []struct {
		what    string
		serving store.Serving
		can     []string
	}{
		{"nothing", store.Serving{}, nil},
		{"flags", store.Serving{Leaving: true, Owner: true, Running: true, Once: true, Wants: []string{"a"}}, nil},
		{"a type", store.Serving{Types: []string{"a"}}, []string{"a"}},
		{"requests", store.Serving{Requests: true}, []string{store.Push}},
		{"requests with a reach", store.Serving{Types: []string{"b"}, Requests: true, Reach: reach}, []string{"b", store.Push, store.Ability(reach)}},
		{"any type", store.Serving{AnyType: true}, []string{"a", "b"}},
		{"any type and requests", store.Serving{AnyType: true, Requests: true, Reach: reach}, []string{"a", "b", store.Push, store.Ability(reach)}},
	} {
		for _, capability := range capabilities {
			if got, want := c.serving.Can(capability), slices.Contains(c.can, capability); got != want {
				t.Errorf("%s: can start %q: %v", c.what, capability, got)
			}
		}
		want := slices.Clone(c.can)
		if c.serving.AnyType {
			want = want[2:] // but for its types
		}
		if got := c.serving.Capabilities(); !slices.Equal(got, want) {
			t.Errorf("%s: lists %q", c.what, got)
		}
	}
}

// Each field has a name of its own where stores keep it, and false ones take no room.
func TestServingAsText(t *testing.T) {
	if text, err := json.Marshal(store.Serves{"q": {}}); err != nil || string(text) != `{"q":{}}` {
		t.Errorf("%s, %v", text, err)
	}
	v := reflect.ValueOf(&store.Serving{}).Elem()
	for i := range v.NumField() {
		v.SetZero()
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString("x")
		default:
			f.Set(reflect.ValueOf([]string{"x", "y"}))
		}
		text, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		var back store.Serving
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, v.Interface()) {
			t.Errorf("%s came back as %+v, %v", text, back, err)
		}
	}
}
