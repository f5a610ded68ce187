package settings

import (
	"net/netip"
	"os"
	"strings"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/push"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/task"
)

func parseRanges(texts []string) ([]netip.Prefix, error) {
	ranges := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, addressErr := netip.ParseAddr(text)
			if addressErr != nil {
				return nil, cli.Usagef("--allow-target: %s is not an address range such as 10.0.0.0/8", task.Quote(text))
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		ranges = append(ranges, prefix.Masked())
	}
	return ranges, nil
}

// readSecrets reads signing secrets from the environment. No error contains
// one.
func readSecrets(texts []string) (map[string][]byte, error) {
	secrets := make(map[string][]byte, len(texts))
	for _, text := range texts {
		host, variable, found := strings.Cut(text, "=")
		if !found || host == "" || variable == "" || strings.HasPrefix(variable, "whsec_") {
			return nil, cli.Usagef("--target-secret-env must be HOST[:PORT]=VARIABLE, where VARIABLE is the name of an environment variable")
		}
		if strings.HasPrefix(variable, channel.SecretPrefix) {
			return nil, cli.Usagef("--target-secret-env: alert channels created over the API may read variables that begin with %s; rename the variable of the secret", channel.SecretPrefix)
		}
		host, err := secretHost(host)
		if err != nil {
			return nil, err
		}
		if _, twice := secrets[host]; twice {
			return nil, cli.Usagef("--target-secret-env: the host %s is given twice", task.Quote(host))
		}
		value, set := os.LookupEnv(variable)
		if !set || value == "" {
			return nil, cli.Usagef("--target-secret-env: the environment variable %s is not set", task.Quote(variable))
		}
		secret, err := push.ParseSecret(value)
		if err != nil {
			return nil, cli.Usagef("--target-secret-env: %s: %s", task.Quote(variable), err)
		}
		secrets[host] = secret
	}
	return secrets, nil
}

// secretHost is the one spelling of a host as it stands in a URL, with or without
// a port; an IPv6 address without a port needs no brackets.
func secretHost(text string) (string, error) {
	authority := text
	if name, isGroup := strings.CutPrefix(text, cli.GroupTarget); isGroup && policy.CheckName(name) == nil {
		return text, nil
	}
	if address, err := netip.ParseAddr(text); err == nil && address.Is6() {
		authority = "[" + text + "]"
	}
	u, err := safehttp.CheckURL("https://" + authority)
	switch {
	case err != nil:
		return "", cli.Usagef("--target-secret-env: %s is not a host as in a URL, without the scheme: %s", task.Quote(text), err)
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery:
		return "", cli.Usagef("--target-secret-env: %s is not a host as in a URL, without scheme and path", task.Quote(text))
	}
	return u.Host, nil
}
