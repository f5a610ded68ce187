package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// entry is which requests are looked at, whoever makes them.
type entry struct {
	exposed bool     // for whatever host
	hosts   []string // that the server answers to beside loopback ones
}

func newEntry(exposed bool, hosts []string) entry {
	e := entry{exposed: exposed}
	for _, host := range hosts {
		e.hosts = append(e.hosts, strings.ToLower(host))
	}
	return e
}

// admit refuses what a web page of somebody else could make a browser send:
// a request with a foreign Origin, and, against DNS rebinding, one whose Host
// is not an address that we were asked to listen on.
func (e *entry) admit(req *http.Request) error {
	if !e.exposed && !e.hostAllowed(req.Host) {
		return &task.Error{Code: task.CodeDenied, Message: "requests for the host " + task.Quote(req.Host) + " are refused",
			Hint: "use the address that the server listens on, such as http://127.0.0.1:7070"}
	}
	if ofPages(req) {
		return nil // a link from elsewhere may lead to it: it is the same for everybody
	}
	origin := req.Header.Get("Origin")
	if origin == "" && req.Header.Get("Sec-Fetch-Site") != "cross-site" {
		return nil
	}
	if from, err := url.Parse(origin); err == nil && from.Host != "" && strings.EqualFold(from.Host, req.Host) {
		return nil
	}
	return &task.Error{Code: task.CodeDenied, Message: "requests from web pages of " + task.Quote(origin) + " are refused",
		Hint: "only pages of this server may call it"}
}

func (e *entry) hostAllowed(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || slices.Contains(e.hosts, host) {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

const (
	consolePath = "/console/"
	docsPath    = "/docs/"
)

// ofPages says whether a request is for a file of the console or of the documentation.
func ofPages(req *http.Request) bool {
	reads, at := req.Method == http.MethodGet || req.Method == http.MethodHead, req.URL.Path
	return reads && (at == "/" || at+"/" == docsPath || strings.HasPrefix(at, consolePath) || strings.HasPrefix(at, docsPath))
}
