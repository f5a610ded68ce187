package examples

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const vocabulary = "../docs/reference/vocabulary.md"

// Texts for people use the words of the vocabulary, and none that stands there under "not".
func TestVocabulary(t *testing.T) {
	t.Parallel()
	banned := bannedWords(t)
	for word, found := range map[string]string{`send … back`: "Send them all back", `for ever`: "kept for ever.", `领取号`: "它的领取号"} {
		if !banned[word].MatchString(found) {
			t.Fatalf("%q does not find %q", word, found)
		}
	}
	for place, text := range shownTexts(t) {
		for word, expression := range banned {
			if found := expression.FindString(text); found != "" {
				t.Errorf("%s says %q: %s does not want %q", place, found, vocabulary, word)
			}
		}
	}
}

// bannedWords are expressions by what stands in the last column of the tables.
func bannedWords(t *testing.T) map[string]*regexp.Regexp {
	banned := map[string]*regexp.Regexp{}
	text := read(t, vocabulary)
	for _, line := range strings.Split(text, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, word := range regexp.MustCompile("`[^`]+`").FindAllString(cells[3], -1) {
			word = strings.Trim(word, "`")
			expression := strings.ReplaceAll(regexp.QuoteMeta(word), " … ", `(?: [\w{}]+){0,3} `)
			if word[0] < 0x80 {
				expression = `(?i)\b` + expression + `\b`
			}
			banned[word] = regexp.MustCompile(expression)
		}
	}
	return banned
}

// shownTexts are, by place: pages but the record of decisions and the vocabulary itself, texts of
// the console, and texts in the code of the command line.
func shownTexts(t *testing.T) map[string]string {
	shown := map[string]string{}
	walk := func(root, suffix string, read func(path string) string) {
		found := 0
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) && !strings.HasSuffix(path, "_test.go") {
				shown[path] = read(path)
				found++
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if found == 0 {
			t.Fatalf("no %s below %s", suffix, root)
		}
	}
	walk("../docs", ".md", func(path string) string {
		switch filepath.Base(path) {
		case filepath.Base(vocabulary), "decisions.md":
			return ""
		}
		return read(t, path)
	})
	for _, path := range []string{"../README.md", "../README.zh-CN.md"} {
		shown[path] = read(t, path)
	}
	walk("../internal/console/web", ".text.js", func(path string) string { return read(t, path) })
	walk("../cmd/outlast", ".go", func(path string) string { return literals(t, path) })
	return shown
}

// literals are the texts in a file of Go.
func literals(t *testing.T, path string) string {
	var all strings.Builder
	ast.Inspect(parse(t, path), func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				all.WriteString(text + "\n")
			}
		}
		return true
	})
	return all.String()
}

// The moving picture of the README is there, and small enough for it.
func TestMovingPicture(t *testing.T) {
	t.Parallel()
	const path, most = "../docs/pictures/demo.gif", 1_500_000
	picture := read(t, path)
	if !strings.HasPrefix(picture, "GIF89a") || len(picture) > most {
		t.Errorf("%s has %d bytes of %d, and begins with %q", path, len(picture), most, picture[:min(6, len(picture))])
	}
}
