package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// repository has the files that pages lead to outside the documentation.
const repository = "https://github.com/outlast-dev/outlast/blob/main/"

// markdown is what GitHub makes of the pages. Their HTML is our own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Strikethrough, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// section is the text below a heading, for the search.
type section struct {
	heading, id string
	text        strings.Builder
}

func (s *section) anchor() string {
	if s.id == "" {
		return ""
	}
	return "#" + s.id
}

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
	marked  = regexp.MustCompile(`<a id="([^"]+)"></a>`)
)

// render makes a page of its Markdown.
func render(from fs.FS, file string) (*page, error) {
	source, err := fs.ReadFile(from, file)
	if err != nil {
		return nil, err
	}
	source = comment.ReplaceAll(source, nil)
	p := &page{File: file, Lang: "en", anchors: map[string]bool{}, markdown: string(source)}
	if strings.HasSuffix(file, chinese) {
		p.Lang = "zh-CN"
	}
	for _, found := range marked.FindAllSubmatch(source, -1) {
		p.anchors[string(found[1])] = true
	}
	document := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{taken: p.anchors}))))
	err = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch node := node.(type) {
			case *ast.Link:
				node.Destination = []byte(p.link(from, string(node.Destination)))
			case *ast.Image:
				node.Destination = []byte(p.link(from, string(node.Destination)))
			case *ast.Text:
				node.SetSoftLineBreak(node.SoftLineBreak() && !joined(node, source))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		p.add(node, source)
	}
	if p.Title == "" {
		return nil, fmt.Errorf("%s has no title", file)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p.Body = template.HTML(out.String()) //nolint:gosec // made of our own pages
	return p, nil
}

// add takes a block of the page into its headings and sections.
func (p *page) add(node ast.Node, source []byte) {
	title, ok := node.(*ast.Heading)
	if !ok {
		if len(p.sections) > 0 {
			words(&p.sections[len(p.sections)-1].text, node, source)
		}
		return
	}
	var said strings.Builder
	words(&said, node, source)
	heads := section{heading: strings.TrimSpace(said.String())}
	if id, found := title.AttributeString("id"); found && title.Level > 1 {
		heads.id = string(id.([]byte))
	}
	if title.Level == 1 {
		p.Title, heads.heading = heads.heading, ""
	}
	if title.Level == 2 {
		p.Headings = append(p.Headings, heading{heads.id, heads.heading})
	}
	p.sections = append(p.sections, &heads)
}

// words writes what a block says.
func words(to *strings.Builder, block ast.Node, source []byte) {
	_ = ast.Walk(block, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // which fails only if we do
		switch node := node.(type) {
		case *ast.Text:
			if entering {
				to.Write(node.Segment.Value(source))
				if node.SoftLineBreak() {
					to.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			if entering {
				to.Write(node.Lines().Value(source))
			}
		default:
			if !entering && node.Type() == ast.TypeBlock {
				to.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
}

// joined reports whether a line goes on in the next without a space, as Chinese does: between
// wide letters, and beside wide punctuation.
func joined(line *ast.Text, source []byte) bool {
	before, after := ast.Node(line), line.NextSibling()
	if line.Segment.Len() == 0 {
		before = line.PreviousSibling()
	}
	for before != nil && before.HasChildren() {
		before = before.LastChild()
	}
	for after != nil && after.HasChildren() {
		after = after.FirstChild()
	}
	ends, ok := before.(*ast.Text)
	begins, also := after.(*ast.Text)
	if !ok || !also {
		return false
	}
	last, _ := utf8.DecodeLastRune(ends.Segment.Value(source))
	first, _ := utf8.DecodeRune(begins.Segment.Value(source))
	return wide(last) && (wide(first) || unicode.IsPunct(last)) || wide(first) && unicode.IsPunct(first)
}

func wide(r rune) bool { return util.EastAsianWidth(r) == "W" || util.EastAsianWidth(r) == "F" }

// link is where a link of the page leads on the site: from a Chinese page to the Chinese one, if
// there is one with that anchor.
func (p *page) link(from fs.FS, to string) string {
	file, anchor, _ := strings.Cut(to, "#")
	if strings.Contains(file, ":") {
		return to
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	if file == "" {
		p.links = append(p.links, p.File+anchor)
		return to
	}
	whole := path.Join(path.Dir(p.File), file)
	if outside, found := strings.CutPrefix(whole, "../"); found {
		return repository + outside + anchor
	}
	if other := strings.TrimSuffix(whole, ".md") + chinese; p.Lang != "en" && other != p.File {
		text, err := fs.ReadFile(from, other)
		if err == nil && (anchor == "" || bytes.Contains(text, []byte(`<a id="`+anchor[1:]+`">`))) {
			whole, file = other, strings.TrimSuffix(file, ".md")+chinese
		}
	}
	p.links = append(p.links, whole+anchor)
	if path.Ext(file) == ".md" {
		file = (&page{File: file}).URL()
	}
	return file + anchor
}

// anchors names headings as GitHub does.
type anchors struct{ taken map[string]bool }

// Generate is the anchor of a heading.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	base := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	id := base
	for i := 1; a.taken[id]; i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	a.taken[id] = true
	return []byte(id)
}

// Put takes an anchor that a page sets itself.
func (a *anchors) Put(value []byte) { a.taken[string(value)] = true }
