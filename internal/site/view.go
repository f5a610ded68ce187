package site

import (
	"cmp"
	"html/template"
)

// texts are those around the pages.
var texts = map[string]map[string]string{
	"en":    {"docs": "Documentation", "search": "Search the documentation", "none": "Nothing found.", "menu": "All pages", "here": "On this page", "other": "中文", "skip": "To the text", "api": "API"},
	"zh-CN": {"docs": "文档", "search": "搜索文档", "none": "没有找到。", "menu": "全部页面", "here": "本页内容", "other": "English", "skip": "跳到正文", "api": "API"},
}

type (
	shown struct {
		Lang, Root, Title, Home, Other, OtherLang string
		Text                                      map[string]string
		Body                                      template.HTML
		Headings                                  []heading
		Parts                                     []shownPart
	}
	shownPart struct {
		Name  string
		Open  bool
		Pages []shownLink
	}
	shownLink struct {
		Title, URL, Lang string
		Here             bool
	}
)

// view is a page with what is around it.
func view(p *page, parts []part, home *page) *shown {
	root := "./"
	for _, letter := range p.File {
		if letter == '/' {
			root = "../"
		}
	}
	s := &shown{
		Lang: p.Lang, Root: root, Title: p.Title, Home: root + home.in(p.Lang).URL(), Text: texts[p.Lang], Body: p.Body, Headings: p.Headings,
	}
	if other := cmp.Or(p.other, home.other); other != nil {
		s.Other, s.OtherLang = root+other.URL(), other.Lang
	}
	for _, one := range parts {
		listed := shownPart{Name: one.name[p.Lang], Open: p == home || p == home.other}
		for _, english := range one.pages {
			to := english.in(p.Lang)
			listed.Pages = append(listed.Pages, shownLink{to.Title, root + to.URL(), to.Lang, to == p})
			listed.Open = listed.Open || to == p
		}
		s.Parts = append(s.Parts, listed)
	}
	return s
}
