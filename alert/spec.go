package alert

import (
	"errors"
	"net"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/task"
)

// Kind says how a channel reaches people.
type Kind string

// The kinds.
const (
	Email    Kind = "email"    // SMTP with STARTTLS
	DingTalk Kind = "dingtalk" // group robot, signed
	Feishu   Kind = "feishu"   // custom bot of Feishu and Lark, signed
	WeCom    Kind = "wecom"    // group robot
	Slack    Kind = "slack"    // incoming webhook
	Webhook  Kind = "webhook"  // any receiver, signed by Standard Webhooks
	Log      Kind = "log"      // the log of the node, at WARN
	Func     Kind = "func"     // a Go function; made by an option only
)

var kinds = []Kind{Email, DingTalk, Feishu, WeCom, Slack, Webhook, Log}

// ChannelSpec is a channel as people write it. Secrets are never in it: it
// names environment variables or files that hold them. Read it with
// [ParseChannel].
type ChannelSpec struct {
	Name string `json:"name,omitempty"`
	Kind Kind   `json:"kind"`
	// URL is the receiver of a webhook. The URLs of robots are secrets: they
	// come from URLEnv or URLFile.
	URL     string `json:"url,omitempty"`
	URLEnv  string `json:"url_env,omitempty"`
	URLFile string `json:"url_file,omitempty"`
	// SecretEnv or SecretFile hold the secret that messages are signed with:
	// SEC... on DingTalk, that of the bot on Feishu, whsec_... of a webhook.
	SecretEnv  string `json:"secret_env,omitempty"`
	SecretFile string `json:"secret_file,omitempty"`
	// Mentions are who is called by name in every message: mobile numbers on
	// DingTalk and WeCom, open ids on Feishu, member ids on Slack, and "all".
	Mentions []string `json:"mentions,omitempty"`
	// Fallback is the channel that gets what this one cannot deliver.
	Fallback string `json:"fallback,omitempty"`
	// Default marks a channel that gets the alerts of rules without channels.
	Default bool `json:"default,omitempty"`
	// Rate lowers the messages per minute below what the vendor allows; 0 for
	// the vendor's.
	Rate *int `json:"rate,omitempty"`
	// Timeout of one message; 10 s when absent.
	Timeout *Duration `json:"timeout,omitempty"`

	// Of email:
	Address      string   `json:"address,omitempty"` // host:port of the server
	TLS          string   `json:"tls,omitempty"`     // starttls (default, required), implicit or none
	Username     string   `json:"username,omitempty"`
	PasswordEnv  string   `json:"password_env,omitempty"`
	PasswordFile string   `json:"password_file,omitempty"`
	From         string   `json:"from,omitempty"`
	To           []string `json:"to,omitempty"`
}

// Limits of a channel.
const (
	DefaultTimeout = 10 * time.Second
	maxTimeout     = time.Minute
	mostMentions   = 50
	mostReceivers  = 50
	mostPerMinute  = 6000
)

// ParseChannel reads a channel from one JSON object, as [ParseRule] does a
// rule.
func ParseChannel(data []byte) (*ChannelSpec, error) {
	spec := &ChannelSpec{}
	parse := decode(data, spec)
	if whole(parse) {
		return nil, parse
	}
	if err := errors.Join(parse, spec.check(false)); err != nil {
		return nil, err
	}
	return spec, nil
}

// Check reports what is wrong with a channel, as joined [retry.FieldError]
// values. Whether variables and files are there is not looked at.
func (c *ChannelSpec) Check() error { return c.check(true) }

// SecretPrefix begins the names of the variables that a channel may name which is not of
// the configuration file.
const SecretPrefix = "OUTLAST_SECRET_"

// CheckPlaces refuses places of secrets that only the configuration file may name: files
// of the server, and variables that are not for channels. Errors are joined
// [retry.FieldError] values.
func (c *ChannelSpec) CheckPlaces() error {
	var f findings
	for _, one := range [...]struct{ path, variable, file string }{
		{"url", c.URLEnv, c.URLFile}, {"secret", c.SecretEnv, c.SecretFile}, {"password", c.PasswordEnv, c.PasswordFile},
	} {
		if one.file != "" {
			f.refuse(one.path+"_file", "name an environment variable "+SecretPrefix+"… instead", "files of the server are for channels of the configuration file")
		}
		if one.variable != "" && (!strings.HasPrefix(one.variable, SecretPrefix) || strings.HasSuffix(one.variable, "_HOSTS")) {
			f.refuse(one.path+"_env", "call it "+SecretPrefix+"…, or put the channel into the configuration file", "%s is a variable for channels of the configuration file", task.Quote(one.variable))
		}
	}
	return f.err()
}

// TimeoutOr is the time that one message may take.
func (c *ChannelSpec) TimeoutOr() time.Duration { return length(c.Timeout, DefaultTimeout) }

func (c *ChannelSpec) check(named bool) error {
	var f findings
	if named || c.Name != "" {
		f.checkName("name", c.Name)
	}
	switch {
	case c.Kind == "":
		f.refuse("kind", kindHint, "is required")
		return f.err()
	case !slices.Contains(kinds, c.Kind):
		f.refuse("kind", nearestOf(string(c.Kind), strings.Split(strings.TrimPrefix(kindHint, "one of "), ", ")), "%s is no kind of channel", task.Quote(string(c.Kind)))
		return f.err()
	}
	c.checkPlaces(&f)
	c.checkMail(&f)
	if c.Fallback != "" {
		f.checkName("fallback", c.Fallback)
		if c.Name != "" && c.Fallback == c.Name {
			f.refuse("fallback", "name another channel", "is the channel itself")
		}
	}
	if c.Rate != nil && (*c.Rate < 1 || *c.Rate > mostPerMinute) {
		f.refuse("rate", "messages per minute", "%d is outside 1 to %d", *c.Rate, mostPerMinute)
	}
	if c.Timeout != nil && (time.Duration(*c.Timeout) < 100*time.Millisecond || time.Duration(*c.Timeout) > maxTimeout) {
		f.refuse("timeout", "", "%s is outside 100ms to %s", Span(time.Duration(*c.Timeout)), Span(maxTimeout))
	}
	c.checkMentions(&f)
	return f.err()
}

const kindHint = "one of email, dingtalk, feishu, wecom, slack, webhook, log"

// checkPlaces checks where the channel's URL and secret are.
func (c *ChannelSpec) checkPlaces(f *findings) {
	robot := c.Kind == DingTalk || c.Kind == Feishu || c.Kind == WeCom || c.Kind == Slack
	urls := given(c.URL, c.URLEnv, c.URLFile)
	switch {
	case robot && c.URL != "":
		f.refuse("url", "put it into an environment variable and name that in url_env", "holds the robot's access token, which is a secret")
	case (robot || c.Kind == Webhook) && urls == 0:
		f.refuse("url_env", "name the environment variable that holds the URL", "is required")
	case urls > 1:
		f.refuse("url_env", "give one of them", "is given together with another place of the URL")
	case !robot && c.Kind != Webhook && urls > 0:
		f.refuse("url_env", "leave it out", "a channel of kind %s has no URL", c.Kind)
	}
	if c.Kind == Webhook && c.URL != "" {
		if _, err := safehttp.CheckURL(c.URL); err != nil {
			f.refuse("url", "", "%s", err)
		}
	}
	secrets := given(c.SecretEnv, c.SecretFile)
	if secrets > 1 {
		f.refuse("secret_env", "give one of them", "is given together with secret_file")
	}
	if secrets > 0 && c.Kind != DingTalk && c.Kind != Feishu && c.Kind != Webhook {
		f.refuse("secret_env", "leave it out", "a channel of kind %s is not signed", c.Kind)
	}
	for path, name := range map[string]string{"url_env": c.URLEnv, "secret_env": c.SecretEnv, "password_env": c.PasswordEnv} {
		f.variable(path, name)
	}
}

func given(texts ...string) (n int) {
	for _, text := range texts {
		if text != "" {
			n++
		}
	}
	return n
}

func (f *findings) variable(path, name string) {
	if strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
	}) || len(name) > 128 {
		f.refuse(path, "write the name of the variable, not what it holds", "is no name of an environment variable")
	}
}

func (c *ChannelSpec) checkMail(f *findings) {
	if c.Kind != Email {
		if given(c.Address, c.TLS, c.Username, c.PasswordEnv, c.PasswordFile, c.From) > 0 || len(c.To) > 0 {
			f.refuse("address", "leave address, tls, username, password_env, password_file, from and to out", "is of email only, not of kind %s", c.Kind)
		}
		return
	}
	host, port, err := net.SplitHostPort(c.Address)
	if number, portErr := strconv.ParseUint(port, 10, 16); err != nil || host == "" || portErr != nil || number == 0 {
		f.refuse("address", "write it as smtp.example.com:587", "is no host and port")
	}
	switch c.TLS {
	case "", "starttls", "implicit", "none":
	default:
		f.refuse("tls", "one of starttls (default), implicit, none", "%s is not known", task.Quote(c.TLS))
	}
	passwords := given(c.PasswordEnv, c.PasswordFile)
	switch {
	case passwords > 1:
		f.refuse("password_env", "give one of them", "is given together with password_file")
	case (c.Username != "") != (passwords == 1):
		f.refuse("username", "give both or none", "and a place of the password belong together")
	case c.Username != "" && c.TLS == "none":
		f.refuse("tls", "use starttls or implicit", "without it the password would be readable on the way")
	}
	f.mailbox("from", c.From)
	if len(c.To) == 0 || len(c.To) > mostReceivers {
		f.refuse("to", "", "has %d addresses; 1 to %d are possible", len(c.To), mostReceivers)
		return
	}
	for i, to := range c.To {
		f.mailbox("to["+strconv.Itoa(i)+"]", to)
	}
}

func (f *findings) mailbox(path, text string) {
	if _, err := mail.ParseAddress(text); err != nil || strings.ContainsAny(text, "\r\n") {
		f.refuse(path, "write it as ops@example.com or Ops <ops@example.com>", "%s is no mail address", task.Quote(text))
	}
}

func (c *ChannelSpec) checkMentions(f *findings) {
	if len(c.Mentions) == 0 {
		return
	}
	switch c.Kind {
	case DingTalk, Feishu, WeCom, Slack:
	default:
		f.refuse("mentions", "leave it out", "a channel of kind %s mentions nobody", c.Kind)
		return
	}
	if len(c.Mentions) > mostMentions {
		f.refuse("mentions", "", "has %d names; %d are the limit", len(c.Mentions), mostMentions)
		return
	}
	for i, mention := range c.Mentions {
		if mention == "" || len(mention) > 128 || strings.ContainsFunc(mention, func(r rune) bool { return notInName(r) && r != '+' && r != '@' }) {
			f.refuse("mentions["+strconv.Itoa(i)+"]", "a mobile number, a member id, or all", "%s mentions nobody", task.Quote(mention))
		}
	}
}
