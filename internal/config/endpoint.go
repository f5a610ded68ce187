package config

import "net/url"

// EndpointHint says how to write telemetry.endpoint.
const EndpointHint = "write it as http://127.0.0.1:4318; credentials go into the variable OTEL_EXPORTER_OTLP_HEADERS"

// EndpointProblem is what is wrong with a value of telemetry.endpoint, "" for nothing.
// The value is not in it: it may hold a password.
func EndpointProblem(endpoint string) string {
	if endpoint == "" {
		return ""
	}
	u, err := url.Parse(endpoint)
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
