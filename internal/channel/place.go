package channel

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// hostsOf ends the name of the variable that says which hosts may get the secret in the
// variable without it: host or host:port, separated by commas.
const hostsOf = "_HOSTS"

// SecretPrefix begins the names of the variables that a channel may name which is not of
// the configuration file.
const SecretPrefix = "OUTLAST_SECRET_"

// CheckPlaces refuses places of secrets that only the configuration file may name: files
// of the server, and variables that are not for channels. Errors are joined
// [retry.FieldError] values.
func CheckPlaces(s *alert.ChannelSpec) error {
	var f findings.List
	for _, one := range secretPlaces(s) {
		if one.file != "" {
			f.Refuse(one.what+"_file", "name an environment variable "+SecretPrefix+"… instead", "files of the server are for channels of the configuration file")
		}
		if one.variable != "" && (!strings.HasPrefix(one.variable, SecretPrefix) || strings.HasSuffix(one.variable, hostsOf)) {
			f.Refuse(one.what+"_env", "call it "+SecretPrefix+"…, or put the channel into the configuration file", "%s is a variable for channels of the configuration file", task.Quote(one.variable))
		}
	}
	return f.Err()
}

// allowed refuses a specification that comes from elsewhere than the configuration of
// this process, and asks for what is not for it: a file, a variable that is no secret of
// channels, or one that is for other hosts.
func (o *Options) allowed(spec *alert.ChannelSpec) error {
	if o.Trusted {
		return nil
	}
	if err := CheckPlaces(spec); err != nil {
		return err
	}
	host := spec.Address
	if spec.Kind != alert.ToEmail {
		text := spec.URL
		if text == "" {
			text, _ = o.Lookup(spec.URLEnv)
		}
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil {
			return nil // it is refused by who reads it, without showing it
		}
		host = u.Host
	}
	for _, one := range [...]struct {
		field, variable string
		needed          bool // the secret says not itself where it goes
	}{{"url_env", spec.URLEnv, false}, {"secret_env", spec.SecretEnv, true}, {"password_env", spec.PasswordEnv, true}} {
		if one.variable == "" {
			continue
		}
		hosts, given := o.Lookup(one.variable + hostsOf)
		if !given && !one.needed || isAmong(hosts, host) {
			continue
		}
		return &retry.FieldError{
			Field: one.field, Message: "what " + task.Quote(one.variable) + " holds is not for " + task.Quote(host),
			Hint: "name the host in the variable " + one.variable + hostsOf + " of the server, or put the channel into the configuration file",
		}
	}
	return nil
}

// isAmong reports whether a list of hosts has a host, with or without its port.
func isAmong(list, address string) bool {
	host := strings.ToLower(address)
	bare := host
	if name, _, err := net.SplitHostPort(host); err == nil {
		bare = name
	}
	return slices.ContainsFunc(strings.Split(strings.ToLower(list), ","), func(one string) bool {
		one = strings.TrimSpace(one)
		return one != "" && (one == host || strings.Trim(one, "[]") == strings.Trim(bare, "[]"))
	})
}
