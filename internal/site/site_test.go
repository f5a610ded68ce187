package site_test

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/outlast-dev/outlast/docs"
	"github.com/outlast-dev/outlast/internal/site"
)

// The pages of the documentation can be made, and none has a link that leads nowhere. What they
// load is there.
func TestSite(t *testing.T) {
	files, err := site.Make(docs.Files)
	if err != nil {
		t.Fatal(err)
	}
	loads := regexp.MustCompile(`(?:src|<link [^>]*href)="(?:\./|(?:\.\./)+)?([^"]+)"`)
	for name, data := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, found := range loads.FindAllSubmatch(data, -1) {
			if files[string(found[1])] == nil {
				t.Errorf("%s loads %s, which is not there", name, found[1])
			}
		}
	}
	var rows []struct{ T, H, U, L, X string }
	if err := json.Unmarshal(files["search.json"], &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		file, anchor, _ := strings.Cut(row.U, "#")
		if page := string(files[file]); page == "" || anchor != "" && !strings.Contains(page, `id="`+anchor+`"`) {
			t.Errorf("the search leads to %s, which is not there", row.U)
		}
	}
}

// small is a documentation of two pages, one of which is in both languages.
func small(page string) fstest.MapFS {
	return fstest.MapFS{
		"README.md":              {Data: []byte("# Index\n\n## How-to\n\n- [x](how-to/one.md), 1 min: about\n- [y](how-to/two.md), 1 min: about\n")},
		"README.zh-CN.md":        {Data: []byte("# 目录\n")},
		"how-to/one.md":          {Data: []byte("# One\n\nTo [two](two.md#the-second-part-2), [code](../../go.mod) and ![a picture](../pictures/a.svg).\n")},
		"how-to/one.zh-CN.md":    {Data: []byte("# 一\n\n## 第一 部分\n\n[此处](#第一-部分)，换行，\n不空格；[English](one.md)\n，**粗**\n[目录](../README.md)\n`x`\n")},
		"how-to/two.md":          {Data: []byte("# Two\n\n## The `second` part: 2\n\n| a |\n|---|\n| b |\n" + page)},
		"pictures/a.svg":         {Data: []byte("<svg/>")},
		"pictures/not-linked.md": {Data: []byte("# Not in the index\n")},
	}
}

func TestPageHasItsSurroundings(t *testing.T) {
	files, err := site.Make(small(""))
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"how-to/one.html": {
			`<a href="two.html#the-second-part-2">`, `"https://github.com/outlast-dev/outlast/blob/main/go.mod"`, `src="../pictures/a.svg"`,
			`<a class="language" href="../how-to/one.zh-CN.html" hreflang="zh-CN"`, `<a href="../how-to/one.html" aria-current="page">One</a>`,
		},
		"how-to/one.zh-CN.html": {
			`<html lang="zh-CN">`, `id="第一-部分"`, `<a href="../how-to/two.html" lang="en">Two</a>`, "操作指南",
			"换行，不空格", "<a href=\"one.html\">English</a>，<strong>粗</strong><a href=\"../index.zh-CN.html\">目录</a>\n<code>x</code>",
		},
		"how-to/two.html": {`id="the-second-part-2"`, "<td>b</td>", `<a class="language" href="../index.zh-CN.html"`},
	} {
		for _, one := range want {
			if !strings.Contains(string(files[file]), one) {
				t.Errorf("%s lacks %s:\n%s", file, one, files[file])
			}
		}
	}
	for _, want := range []string{`"h":"The second part: 2","u":"how-to/two.html#the-second-part-2"`, "换行，不空格"} {
		if !strings.Contains(string(files["search.json"]), want) {
			t.Errorf("the search lacks %s: %s", want, files["search.json"])
		}
	}
}

func TestLinksThatLeadNowhere(t *testing.T) {
	for page, want := range map[string]string{
		"[x](three.md)":           "how-to/two.md: the link to how-to/three.md leads nowhere",
		"[x](one.md#no)":          "how-to/two.md: the link to how-to/one.md#no leads nowhere",
		"[x](#no)":                "how-to/two.md: the link to how-to/two.md#no leads nowhere",
		"![x](../pictures/b.svg)": "how-to/two.md: the link to pictures/b.svg leads nowhere",
	} {
		if _, err := site.Make(small("\n" + page + "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", page, err)
		}
	}
}

// Who reads Chinese first begins with the Chinese page.
func TestFirstPage(t *testing.T) {
	handler := site.Handler()
	for language, want := range map[string]string{
		"": "docs/index.html", "zh-CN,zh;q=0.9,en;q=0.8": "docs/index.zh-CN.html", "en-GB,zh;q=0.5": "docs/index.html", "de, zh-TW": "docs/index.zh-CN.html", "fr": "docs/index.html",
	} {
		answer, req := httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost/docs", nil)
		req.Header.Set("Accept-Language", language)
		handler.ServeHTTP(answer, req)
		to := answer.Header().Get("Location")
		page := httptest.NewRecorder()
		handler.ServeHTTP(page, httptest.NewRequest("GET", "http://localhost/"+to, nil))
		if to != want || page.Code != 200 {
			t.Errorf("%q: to %q, which is %d; want %q", language, to, page.Code, want)
		}
	}
}

func TestHandler(t *testing.T) {
	handler := site.Handler()
	for at, want := range map[string]struct {
		status int
		to     string
	}{
		"/docs": {302, "docs/index.html"}, "/docs/api": {302, "reference/api.html"}, "/docs/": {200, ""}, "/docs/how-to/redrive.html": {200, ""},
		"/docs/search.json": {200, ""}, "/docs/pictures/storm-outage.svg": {200, ""}, "/docs/nowhere.html": {404, ""}, "/docs/../go.mod": {404, ""},
	} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest("GET", "http://localhost"+at, nil))
		if answer.Code != want.status || answer.Header().Get("Location") != want.to {
			t.Errorf("%s: %d to %q", at, answer.Code, answer.Header().Get("Location"))
		}
		if policy := answer.Header().Get("Content-Security-Policy"); want.status == 200 && !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: the policy is %q", at, policy)
		}
	}
}
