package main

import (
	"crypto/x509"
	"os"
	"strings"

	"github.com/outlast-dev/outlast/client"
)

// connect makes a client of the server, with the token and authorities that it was
// given. A token never stands on a command line, which others can read.
func (c *cli) connect(opts ...client.Option) (*client.Client, error) {
	opts = append([]client.Option{client.WithUserAgent("outlast-cli/" + c.version)}, opts...)
	text, _ := c.lookup("OUTLAST_TOKEN")
	if c.tokenFile != "" {
		data, err := os.ReadFile(c.tokenFile)
		if err != nil {
			return nil, usage("--token-file: %v", err)
		}
		if text = string(data); strings.TrimSpace(text) == "" {
			return nil, usage("--token-file: %s is empty", clean(c.tokenFile))
		}
	}
	if c.ca != "" {
		data, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, usage("--ca-file: %v", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(data) {
			return nil, usage("--ca-file: %s holds no certificate in PEM", clean(c.ca))
		}
		opts = append(opts, client.WithRootCAs(pool))
	}
	return client.New(c.server, append(opts, client.WithToken(text))...)
}
