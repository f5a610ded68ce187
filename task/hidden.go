package task

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"strings"
)

// Hidden stands where a header's value would be that is a credential. Who gives it back
// means the value that was there.
const Hidden = "[hidden]"

// SecretHeader reports whether a header's name sounds like a credential.
func SecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"auth", "cookie", "token", "key", "secret", "signature", "password", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// HideHeaders returns the headers with [Hidden] for each value that is a credential.
func HideHeaders(headers map[string]string) map[string]string {
	shown := maps.Clone(headers)
	for name := range shown {
		if SecretHeader(name) {
			shown[name] = Hidden
		}
	}
	return shown
}

// KeepHeaders gives the headers of a request their values again where they say [Hidden]:
// those of the request that was shown. That one must have gone to the same place: else
// whoever may change a URL could have the credential sent to it.
func KeepHeaders(path string, given, kept *Request) error {
	if given == nil {
		return nil
	}
	headers := map[string]any{}
	for name, value := range given.Headers {
		headers[name] = value
	}
	before := map[string]any{}
	if kept != nil {
		for name, value := range kept.Headers {
			before[name] = value
		}
	}
	if err := keep(path+".headers", headers, before, kept != nil && place(given.URL) == place(kept.URL)); err != nil {
		return err
	}
	given.Headers = maps.Clone(given.Headers)
	for name, value := range headers {
		given.Headers[name], _ = value.(string)
	}
	return nil
}

// place is who gets the requests to a URL.
func place(address string) string {
	if name, _, ok := GroupOf(address); ok {
		return "group " + name
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// keep puts values of headers in the place of [Hidden].
func keep(path string, headers, kept map[string]any, same bool) error {
	for name, value := range headers {
		if value != Hidden {
			continue
		}
		before, there := "", false
		for known, value := range kept {
			if strings.EqualFold(known, name) {
				before, there = value.(string)
			}
		}
		if !there || !same {
			message := "says " + Hidden + ", but there was no such header"
			if there {
				message = "says " + Hidden + ", but the requests go elsewhere now"
			}
			return Invalid(path+"."+name, message, "give the value of the header")
		}
		headers[name] = before
	}
	return nil
}

// HideJSON returns JSON with [Hidden] in place of each credential among the headers of the
// requests in it; as it is if there is none, or if it is no JSON.
func HideJSON(text []byte) []byte {
	tree, ok := treeOf(text)
	if !ok || !hideTree(tree) {
		return text
	}
	return textOf(tree, text)
}

// KeepJSON gives the headers in JSON their values again where they say [Hidden]: those that
// stand in the same place in kept.
func KeepJSON(given, kept []byte) ([]byte, error) {
	if !bytes.Contains(given, []byte(Hidden)) {
		return given, nil
	}
	tree, ok := treeOf(given)
	if !ok {
		return given, nil // whoever reads it says what is wrong
	}
	before, _ := treeOf(kept)
	if err := keepTree("", tree, before); err != nil {
		return nil, err
	}
	return textOf(tree, given), nil
}

func treeOf(text []byte) (tree any, ok bool) {
	if !bytes.Contains(text, []byte(`"headers"`)) {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return tree, decoder.Decode(&tree) == nil && !decoder.More()
}

func textOf(tree any, otherwise []byte) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(tree) != nil {
		return otherwise // it was read from JSON
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// hideTree hides, and reports whether there was anything to hide. What a payload says is
// left alone.
func hideTree(tree any) (hidden bool) {
	switch node := tree.(type) {
	case map[string]any:
		headers, _ := node["headers"].(map[string]any)
		for name := range headers {
			if SecretHeader(name) {
				headers[name], hidden = Hidden, true
			}
		}
		for name, child := range node {
			if name != "payload" && name != "headers" {
				hidden = hideTree(child) || hidden
			}
		}
	case []any:
		for _, child := range node {
			hidden = hideTree(child) || hidden
		}
	}
	return hidden
}

func keepTree(path string, tree, kept any) error {
	node, _ := tree.(map[string]any)
	before, _ := kept.(map[string]any)
	if headers, ok := node["headers"].(map[string]any); ok {
		known, _ := before["headers"].(map[string]any)
		if err := keep(path+"headers", headers, known, placeOf(node) == placeOf(before)); err != nil {
			return err
		}
	}
	for name, child := range node {
		if name != "payload" && name != "headers" {
			if err := keepTree(path+name+".", child, before[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeOf is who gets the requests of a target.
func placeOf(node map[string]any) string {
	if group, ok := node["group"].(string); ok && group != "" {
		return "group " + group
	}
	address, _ := node["url"].(string)
	return place(address)
}
