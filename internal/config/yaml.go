package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/outlast-dev/outlast/task"
)

// tree is a document: values as encoding/json has them, numbers as [json.Number],
// and the line of each by its path.
type tree struct {
	root  any
	lines map[string]int
	wrong []Problem
}

// mostDeep is how deeply a file may be nested.
const mostDeep = 32

// readTree reads one YAML document. Anchors are refused: what a few of them can
// stand for knows no bounds, and presets share what is common.
func readTree(data []byte) *tree {
	t := &tree{lines: map[string]int{}}
	if len(data) > MaxFile {
		t.refuse(0, "", "", "has %d bytes; the limit is %d", len(data), MaxFile)
		return t
	}
	if !utf8.Valid(data) {
		t.refuse(1+strings.Count(string(data[:firstInvalid(data)]), "\n"), "", "save it as UTF-8", "is not valid UTF-8")
		return t
	}
	documents, err := parse(data)
	if err != nil {
		line, text := lineOf(err)
		t.refuse(cmp.Or(brokenAt(data), line, 1), "", "look at the indentation, and quote texts with : or #", "is not YAML: %s", text)
		return t
	}
	if len(documents) > 1 {
		t.refuse(documents[1].Line, "", "remove what follows ---", "has %d documents; one is wanted", len(documents))
		return t
	}
	for _, document := range documents {
		for _, content := range document.Content {
			t.root = t.value(content, "", 0)
		}
	}
	return t
}

func firstInvalid(data []byte) int {
	at := 0
	for len(data) > at {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	return at
}

// parse returns the documents. The library's own defects are errors like others.
func parse(data []byte) (documents []*yaml.Node, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("it cannot be read: %v", value)
		}
	}()
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	for {
		document := &yaml.Node{}
		if err := decoder.Decode(document); err != nil {
			if errors.Is(err, io.EOF) {
				return documents, nil
			}
			return nil, err
		}
		documents = append(documents, document)
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// lineOf takes the line out of an error of the library.
func lineOf(err error) (int, string) {
	text := task.Quote(err.Error())
	text = text[1 : len(text)-1]
	found := yamlLine.FindStringSubmatch(text)
	if found == nil {
		return 0, text
	}
	line, _ := strconv.Atoi(found[1]) // 0 where there is none
	return line, text[len(found[0]):]
}

// mostCut bounds how much brokenAt reads, in bytes.
const mostCut = 4 << 20

// brokenAt is the line at which a document that is no YAML ceases to be one: that
// after the longest beginning of whole lines that is. What is open at the end of it,
// such as a quote, began there. The library tells of the line before or after, or of
// none. It is 0 for a document that is too long to be looked at so often.
func brokenAt(data []byte) int {
	end, lines := len(data), bytes.Count(data, []byte("\n"))
	if end > 0 && data[end-1] != '\n' {
		lines++
	}
	for read := 0; lines > 0; lines-- {
		end = bytes.LastIndexByte(data[:max(0, end-1)], '\n') + 1
		if read += end; read > mostCut {
			return 0
		}
		if _, err := parse(data[:end]); err == nil {
			return lines
		}
	}
	return 0
}

func (t *tree) refuse(line int, path, hint, format string, args ...any) {
	t.wrong = append(t.wrong, Problem{Line: line, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// value converts a node.
func (t *tree) value(n *yaml.Node, path string, depth int) any {
	if _, known := t.lines[path]; !known {
		t.lines[path] = n.Line
	}
	switch {
	case depth > mostDeep:
		t.refuse(n.Line, path, "", "is nested deeper than %d levels", mostDeep)
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		t.refuse(n.Line, path, "write it out; policies share settings through preset", "anchors and aliases are not supported")
	case n.Kind == yaml.MappingNode:
		return t.mapping(n, path, depth)
	case n.Kind == yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, element := range n.Content {
			list[i] = t.value(element, path+"["+strconv.Itoa(i)+"]", depth+1)
		}
		return list
	case n.Kind == yaml.ScalarNode:
		return t.scalar(n, path)
	}
	return nil
}

func (t *tree) mapping(n *yaml.Node, path string, depth int) any {
	object := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.Anchor != "" {
			t.refuse(key.Line, path, "write the keys out", "has a key that is not plain text")
			continue
		}
		below := join(path, key.Value)
		if _, twice := object[key.Value]; twice {
			t.refuse(key.Line, below, "remove one of them", "is given twice, also in line %d", t.lines[below])
			continue
		}
		t.lines[below] = key.Line
		object[key.Value] = t.value(n.Content[i+1], below, depth+1)
	}
	return object
}

// scalar is a value by the core schema of YAML 1.2; times stay texts.
func (t *tree) scalar(n *yaml.Node, path string) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int":
		var whole int64
		if err := n.Decode(&whole); err != nil {
			t.refuse(n.Line, path, "", "%s is not a number in range", task.Quote(n.Value))
			return nil
		}
		return json.Number(strconv.FormatInt(whole, 10))
	case "!!float":
		var number float64
		if err := n.Decode(&number); err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
			t.refuse(n.Line, path, "", "%s is not a number in range", task.Quote(n.Value))
			return nil
		}
		return json.Number(strconv.FormatFloat(number, 'g', -1, 64))
	case "!!str", "!!timestamp":
		return n.Value
	}
	t.refuse(n.Line, path, "remove the tag", "the tag %s is not supported", task.Quote(n.Tag))
	return nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// line is that of a path, or of the nearest one above it; 0 in an empty document.
func (t *tree) line(path string) int {
	for path != "" {
		if line, known := t.lines[path]; known {
			return line
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return t.lines[""]
}
