// Package site makes web pages of the documentation: the same for the server, which offers them
// below /docs/, and for a folder of files.
package site

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

//go:embed web
var web embed.FS

const (
	index   = "README.md"
	chinese = ".zh-CN.md"
)

// part is one of the four parts, with its English pages in the order of the index.
type part struct {
	name  map[string]string // by language
	pages []*page
}

// page is a page in one language.
type page struct {
	File, Lang, Title string
	Body              template.HTML
	Headings          []heading // of the second level
	sections          []*section
	anchors           map[string]bool
	links             []string // to pages and pictures, from the root, with their anchors
	other             *page    // in the other language
	markdown          string
}

type heading struct{ ID, Text string }

// URL is where the page is, from the root.
func (p *page) URL() string {
	return strings.Replace(strings.TrimSuffix(p.File, ".md"), "README", "index", 1) + ".html"
}

// in is the page in a language, or in the one that there is.
func (p *page) in(lang string) *page {
	if p.Lang != lang && p.other != nil {
		return p.other
	}
	return p
}

// Make makes all files of the site, by name, from the pages in Markdown. Links that lead nowhere
// are an error, beside the files.
func Make(from fs.FS) (map[string][]byte, error) {
	pages, err := read(from)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var broken []error
	for _, p := range pages {
		broken = append(broken, p.check(from, pages))
	}
	parts := partsOf(pages)
	layout, err := template.ParseFS(web, "web/page.html")
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		var out bytes.Buffer
		if err := layout.Execute(&out, view(p, parts, pages[index])); err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
		files[p.URL()] = out.Bytes()
	}
	if files["search.json"], err = searchIndex(pages, parts); err != nil {
		return nil, err
	}
	for _, name := range []string{"style.css", "page.js", "icon.svg"} {
		if files[name], err = web.ReadFile("web/" + name); err != nil {
			return nil, err
		}
	}
	return files, errors.Join(append(broken, copyPictures(from, files))...)
}

func copyPictures(from fs.FS, files map[string][]byte) error {
	pictures, err := fs.ReadDir(from, "pictures")
	for _, entry := range pictures {
		name := "pictures/" + entry.Name()
		var data []byte
		if data, err = fs.ReadFile(from, name); err != nil {
			break
		}
		files[name] = data
	}
	return err
}

// read reads and renders all pages, by file.
func read(from fs.FS) (map[string]*page, error) {
	pages := map[string]*page{}
	err := fs.WalkDir(from, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".md" {
			return err
		}
		pages[file], err = render(from, file)
		return err
	})
	for file, p := range pages {
		if strings.HasSuffix(file, chinese) {
			english := pages[strings.TrimSuffix(file, chinese)+".md"]
			if english == nil {
				return nil, fmt.Errorf("%s is a translation of nothing", file)
			}
			p.other, english.other = english, p
		}
	}
	if err == nil && pages[index] == nil {
		err = fmt.Errorf("there is no %s", index)
	}
	return pages, err
}

// check says which links of a page lead nowhere.
func (p *page) check(from fs.FS, pages map[string]*page) error {
	var broken []error
	for _, link := range p.links {
		file, anchor, _ := strings.Cut(link, "#")
		to := pages[file]
		_, err := fs.Stat(from, file)
		if err != nil || anchor != "" && (to == nil || !to.anchors[anchor]) {
			broken = append(broken, fmt.Errorf("%s: the link to %s leads nowhere", p.File, link))
		}
	}
	return errors.Join(broken...)
}

var chineseNames = map[string]string{"Tutorial": "教程", "How-to": "操作指南", "Reference": "参考", "Explanation": "原理"}

var indexLine = regexp.MustCompile(`(?m)^## (.+)$|^- \[.*?\]\(([^)]+)\)`)

// partsOf reads the index.
func partsOf(pages map[string]*page) []part {
	var parts []part
	for _, line := range indexLine.FindAllStringSubmatch(pages[index].markdown, -1) {
		switch p := pages[line[2]]; {
		case line[1] != "":
			parts = append(parts, part{name: map[string]string{"en": line[1], "zh-CN": cmp.Or(chineseNames[line[1]], line[1])}})
		case p != nil && len(parts) > 0:
			last := &parts[len(parts)-1]
			last.pages = append(last.pages, p)
		}
	}
	return parts
}

// searchIndex is what the search looks through: a row for each section.
func searchIndex(pages map[string]*page, parts []part) ([]byte, error) {
	type row struct {
		Title   string `json:"t"`
		Heading string `json:"h"`
		URL     string `json:"u"`
		Lang    string `json:"l"`
		Text    string `json:"x"`
	}
	var rows []row
	for _, part := range parts {
		for _, p := range part.pages {
			for _, one := range []*page{p, p.other} {
				if one == nil {
					continue
				}
				for _, s := range one.sections {
					rows = append(rows, row{one.Title, s.heading, one.URL() + s.anchor(), one.Lang, s.text.String()})
				}
			}
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("the index of %d pages names none", len(pages))
	}
	return json.Marshal(rows)
}
