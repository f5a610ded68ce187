package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// duration is a text with a form of its own.
type duration int64

func (d *duration) UnmarshalText(text []byte) error {
	if string(text) != "1s" {
		return errors.New("is no second")
	}
	*d = 1
	return nil
}

type inner struct {
	Name string `json:"name"`
	Raw  json.RawMessage
}

type outer struct {
	Text   string            `json:"text"`
	Key    string            `json:"key" given:"leave it out"`
	Whole  *int              `json:"whole"`
	Small  int8              `json:"small"`
	Number float64           `json:"number" given:"leave it out"`
	On     bool              `json:"on"`
	Wait   duration          `json:"wait"`
	Raw    json.RawMessage   `json:"raw"`
	Strict json.RawMessage   `json:"strict" strict:"true"`
	Labels map[string]string `json:"labels"`
	Codes  []string          `json:"codes" number:"true"`
	Parts  []inner           `json:"parts"`
	Part   *inner            `json:"part"`
	Empty  []int             `json:"empty" given:"leave it out"`
	Hidden string            `json:"-"`
}

func read(data string, null Null) (outer, string) {
	var out outer
	var texts []string
	for _, c := range Read([]byte(data), &out, "", &Options{Deepest: 5, Null: null}) {
		text := c.Path + ": " + c.Message
		if c.Hint != "" {
			text += " (" + c.Hint + ")"
		}
		texts = append(texts, text)
	}
	return out, strings.Join(texts, "; ")
}

// Each document is refused with these complaints, in the order in which they stand in it.
func TestRefused(t *testing.T) {
	const form = " (write one JSON value by RFC 8259, in UTF-8 without a byte order mark)"
	for data, want := range map[string]string{
		``:                                       `: is not JSON: the end at byte 0` + form,
		`{"text":"a"`:                            `: is not JSON: no comma between values at byte 11` + form,
		`{"text":}`:                              `: is not JSON: unexpected "}" at byte 8` + form,
		`{"text" "a"}`:                           `: is not JSON: no colon after a name at byte 8` + form,
		`{"text":"a",}`:                          `: is not JSON: no name in an object at byte 12` + form,
		`{"text":"a"} {}`:                        `: is not JSON: something follows the value at byte 13` + form,
		`{"text":"a` + "\n" + `"}`:               `: is not JSON: a control character in a string at byte 10` + form,
		"{\"text\":\"\xff\"}":                    `: is not JSON: invalid UTF-8 at byte 9` + form,
		`{"text":"\x"}`:                          `: is not JSON: a bad escape at byte 10` + form,
		`{"small":01}`:                           `: is not JSON: no comma between values at byte 10` + form,
		`{"small":1.}`:                           `: is not JSON: a bad number at byte 11` + form,
		`{"on":trie}`:                            `: is not JSON: unexpected word at byte 6` + form,
		`{"raw":[[[[[1]]]]]}`:                    `: is nested deeper than 5 levels (write what is nested deeper as a text)`,
		`{"x":1,"raw":[`:                         `: is not JSON: the end at byte 14` + form,
		`[]`:                                     `: an object is wanted, not a list`,
		`"whsec_1"`:                              `: an object is wanted, not a text`,
		`null`:                                   `: an object is wanted, not null`,
		`{"txt":1}`:                              `txt: unknown key (did you mean text?)`,
		`{"TEXT":"a"}`:                           `TEXT: unknown key (did you mean text? Names are case-sensitive)`,
		`{"part":{"x":1}}`:                       `part.x: unknown key (known keys are name)`,
		`{"text":"a","t\u0065xt":1}`:             `text: is given twice (remove one of them)`,
		`{"labels":{"a":"b","a":1}}`:             `labels.a: is given twice (remove one of them)`,
		`{"\u0000":1}`:                           `: a name in it has a NUL character`,
		`{"labels":{"\ud800":"a"}}`:              `labels: a name in it has half of a surrogate pair`,
		`{"text":"\udc00\ud800"}`:                `text: has half of a surrogate pair`,
		`{"text":"\ud800\u0041"}`:                `text: has half of a surrogate pair`,
		`{"text":"a\u0000"}`:                     `text: has a NUL character`,
		`{"text":5}`:                             `text: a text is wanted, not 5 (put it into quotes if it is one)`,
		`{"text":null}`:                          `text: a text is wanted, not null`,
		`{"whole":1e3}`:                          `whole: a whole number is wanted, not 1e3`,
		`{"whole":"1"}`:                          `whole: a whole number is wanted, not "1"`,
		`{"small":128}`:                          `small: a whole number is wanted, not 128`,
		`{"number":1e999}`:                       `number: a number is wanted, not 1e999`,
		`{"on":0}`:                               `on: true or false is wanted, not 0`,
		`{"wait":1}`:                             `wait: a duration is wanted, not 1 (write it with units, such as 1.5s)`,
		`{"wait":"2s"}`:                          `wait: is no second`,
		`{"strict":{"a":[1,{"b":1,"b":2}]}}`:     `strict.a[1].b: is given twice (remove one of them)`,
		`{"strict":["\ud800"]}`:                  `strict[0]: has half of a surrogate pair`,
		`{"parts":[{"name":"a"},{"name":[]},7]}`: `parts[1].name: a text is wanted, not a list; parts[2]: an object is wanted, not 7`,
		`{"key":"","number":0,"empty":[]}`:       `key: is empty (leave it out); number: must be more than 0 (leave it out); empty: is empty (leave it out)`,
	} {
		if _, got := read(data, Refused); got != want {
			t.Errorf("%s:\n%s, want\n%s", data, got, want)
		}
	}
}

// What is accepted keeps its values, and raw values every byte.
func TestRead(t *testing.T) {
	data := ` {"text":"\u00fc\ud83d\ude00\n","key":"k","whole":-7,"number":1.5e1,"on":true,"wait":"1s","raw": { "b" : 1.0 , "b":"\ud800\u0000<" } ,
		"strict":[1e400],"labels":{"a":"b"},"codes":["x",409,1.50],"parts":[{"name":"n"},{}],"part":{}} `
	seven := -7
	want := outer{Text: "ü😀\n", Key: "k", Whole: &seven, Number: 15, On: true, Wait: 1, Raw: []byte(`{ "b" : 1.0 , "b":"\ud800\u0000<" }`), Strict: []byte(`[1e400]`),
		Labels: map[string]string{"a": "b"}, Codes: []string{"x", "409", "1.50"}, Parts: []inner{{Name: "n"}, {}}, Part: &inner{}}
	if got, wrong := read(data, Refused); wrong != "" || !reflect.DeepEqual(got, want) {
		t.Errorf("%s, %+v", wrong, got)
	}
}

func TestNull(t *testing.T) {
	data := `{"text":null,"labels":null,"part":null,"raw":null}`
	if got, wrong := read(data, Absent); wrong != "" || got.Part != nil || string(got.Raw) != "null" {
		t.Errorf("absent: %s, %+v", wrong, got)
	}
	if _, wrong := read(`{"labels":{"a":null}}`, Absent); wrong != "labels.a: a text is wanted, not null" {
		t.Errorf("in a map: %s", wrong)
	}
	if got, wrong := read(data, Empty); wrong != "text: a text is wanted, not null" || got.Part == nil {
		t.Errorf("empty: %s, %+v", wrong, got)
	}
}

func TestBounds(t *testing.T) {
	var many, codes strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `"x%d":1,`, i)
	}
	if found := Read([]byte("{"+many.String()+`"y":2}`), &outer{}, "", &Options{Deepest: 5}); len(found) != mostComplaints {
		t.Errorf("%d complaints", len(found))
	}
	codes.WriteString(strings.Repeat("1,", mostEntries))
	got, wrong := read(`{"codes":[`+codes.String()+`1]}`, Refused)
	if wrong != "codes: has more than 10000 entries" || len(got.Codes) != mostEntries {
		t.Errorf("%s, %d", wrong, len(got.Codes))
	}
}

// A reader takes what is written in two ways, and a check sees what was read.
func TestReadersAndChecks(t *testing.T) {
	readers := Readers{}
	Add(readers, func(out *inner, d *Decoder) {
		if d.Kind() == '"' {
			out.Name, _ = d.Text()
			return
		}
		d.Value(out)
	})
	options := &Options{Deepest: 5, Readers: readers, Check: func(d *Decoder, v reflect.Value, tag reflect.StructTag) {
		if tag.Get("json") == "name" && v.String() == "bad" {
			d.Refuse("", "is bad")
		}
	}}
	var out outer
	found := Read([]byte(`{"part":"short","parts":[{"name":"bad"},"x",{"nme":1}]}`), &out, "at", options)
	if len(found) != 2 || found[0].Path != "at.parts[0].name" || found[1].Path != "at.parts[2].nme" || out.Part.Name != "short" || out.Parts[1].Name != "x" {
		t.Errorf("%+v, %+v", found, out)
	}
}

// What Read accepts, encoding/json accepts with the same meaning; it never panics, and
// never says nothing of what it refuses.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"text":"a\u00fc","raw":{"a":[1,"\ud800"]},"strict":{"a":{}},"labels":{"a":"b"},"parts":[{"name":"x"}]}`, `{"codes":[1,"x"],"whole":null}`,
		`{"text":"\ud83d\ude00"}`, `{"number":1e400}`, `[[[[`, `{"text":"\`, `"\u12`, `{"wait":"1s","on":true,"small":-0}`, "{\"text\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, null := range []Null{Refused, Empty, Absent} {
			var got, want outer
			found := Read(data, &got, "", &Options{Deepest: 5, Null: null})
			for _, c := range found {
				if c.Message == "" {
					t.Errorf("%q: %+v", data, c)
				}
			}
			if len(found) > 0 || len(got.Codes) > 0 || null == Empty { // numbers as texts, and null as {}, are ours alone
				continue
			}
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatalf("%q is accepted, but: %v", data, err)
			}
			for _, one := range []*outer{&got, &want} {
				if len(one.Labels) == 0 {
					one.Labels = nil
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, want %+v", data, got, want)
			}
		}
	})
}

// A complaint has its whole path, and a document may have a name as long as itself.
func TestALongNameIsCutInPaths(t *testing.T) {
	var out struct {
		Known map[string]map[string]int `json:"known"`
	}
	document := `{"known":{"` + strings.Repeat("中", 100_000) + `":{"a":true}}}`
	found := Read([]byte(document), &out, "", &Options{Deepest: 8})
	if len(found) != 1 || len(found[0].Path) > 300 || !utf8.ValidString(found[0].Path) {
		t.Errorf("%d complaints: %.400v", len(found), found)
	}
}
