package accept

import "net/url"

// URLProblem is what is wrong with the base URL of a service, "" for nothing, also without
// one. The value is not in it: it may hold a password.
func URLProblem(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "is not a URL with http or https and a host"
	case u.User != nil:
		return "has a user or password in it"
	case u.RawQuery != "" || u.Fragment != "":
		return "has a query or a fragment"
	}
	return ""
}
