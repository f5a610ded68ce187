package cli

import (
	"crypto/x509"
	"os"
	"strings"

	"github.com/outlast-dev/outlast/client"
)

// Connect makes a client of the server, with the token and authorities that it was
// given. A token never stands on a command line, which others can read.
func (c *Env) Connect(opts ...client.Option) (*client.Client, error) {
	opts = append([]client.Option{client.WithUserAgent("outlast-cli/" + c.Version)}, opts...)
	text, _ := c.Lookup("OUTLAST_TOKEN")
	if c.tokenFile != "" {
		data, err := os.ReadFile(c.tokenFile)
		if err != nil {
			return nil, Usagef("--token-file: %v", err)
		}
		if text = string(data); strings.TrimSpace(text) == "" {
			return nil, Usagef("--token-file: %s is empty", Clean(c.tokenFile))
		}
	}
	if c.ca != "" {
		data, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, Usagef("--ca-file: %v", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(data) {
			return nil, Usagef("--ca-file: %s contains no PEM certificate", Clean(c.ca))
		}
		opts = append(opts, client.WithRootCAs(pool))
	}
	return client.New(c.Server, append(opts, client.WithToken(text))...)
}
