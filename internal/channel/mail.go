package channel

import (
	"net"
	"net/mail"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// MailText is how many bytes of a mail's text are sent.
const MailText = 64 << 10

var emailKind = kind{
	name: alert.ToEmail, title: "E-mail", titleZH: "电子邮件",
	fields: []field{
		{name: "address", label: "Server, such as smtp.example.com:587", labelZH: "服务器，例如 smtp.example.com:587", required: true, about: "host:port"},
		{name: "tls", label: "Encryption", labelZH: "加密", about: "`starttls`, which is the default and demanded, `implicit`, `none`"},
		{name: "username", label: "User", labelZH: "用户名", about: "with a password"},
		{name: "password_env", label: "Variable that holds the password", labelZH: "保存密码的环境变量"},
		{name: "from", label: "From", labelZH: "发件人", required: true},
		{name: "to", label: "To, separated by commas", labelZH: "收件人，以逗号分隔", required: true},
	},
	limits: []alerts.Limit{alerts.PerMinute(60)}, text: MailText, escaping: "text/plain; subject on one line",
	check: checkMail, open: openMail,
}

// mostReceivers is how many people a channel may write to.
const mostReceivers = 50

func checkMail(s *alert.ChannelSpec, refuse func(field, hint, format string, args ...any)) {
	host, port, err := net.SplitHostPort(s.Address)
	if number, portErr := strconv.ParseUint(port, 10, 16); s.Address != "" && (err != nil || host == "" || portErr != nil || number == 0) {
		refuse("address", "write it as smtp.example.com:587", "is not a host and port")
	}
	switch s.TLS {
	case "", "starttls", "implicit", "none":
	default:
		refuse("tls", "one of starttls (default), implicit, none", "%s is not known", task.Quote(s.TLS))
	}
	passwords := count(s.PasswordEnv != "", s.PasswordFile != "")
	switch {
	case (s.Username != "") != (passwords > 0):
		refuse("username", "give both or none", "and a place of the password belong together")
	case s.Username != "" && s.TLS == "none":
		refuse("tls", "use starttls or implicit", "without it the password would be readable on the way")
	}
	if s.From != "" {
		mailbox(refuse, "from", s.From)
	}
	if len(s.To) > mostReceivers {
		refuse("to", "", "has %d addresses; the limit is %d", len(s.To), mostReceivers)
		return
	}
	for i, to := range s.To {
		mailbox(refuse, "to["+strconv.Itoa(i)+"]", to)
	}
}

func mailbox(refuse func(field, hint, format string, args ...any), path, text string) {
	if _, err := mail.ParseAddress(text); err != nil || strings.ContainsAny(text, "\r\n") {
		refuse(path, "write it as ops@example.com or Ops <ops@example.com>", "%s is not a mail address", task.Quote(text))
	}
}

// MailOpener makes the channel of a specification of kind email that has passed its check.
type MailOpener func(spec *alert.ChannelSpec, o *Options, password string) (alert.Channel, error)

var mailOpener atomic.Pointer[MailOpener]

// UseMail makes channels of kind email possible in this process. Package email calls it
// when it is imported, so that programs that send no mail link no client for it.
func UseMail(open MailOpener) { mailOpener.Store(&open) }

func openMail(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
	open := mailOpener.Load()
	if open == nil {
		return nil, &retry.FieldError{
			Field: "kind", Message: "this program sends no mail",
			Hint: `link a client into it: import _ "github.com/outlast-dev/outlast/alert/email"`,
		}
	}
	password, err := o.secret("password", spec.PasswordEnv, spec.PasswordFile)
	if err != nil {
		return nil, err
	}
	if spec.TLS == "none" && spec.Username != "" {
		return nil, &retry.FieldError{Field: "tls", Message: "the password would be readable on the way", Hint: "use starttls or implicit"}
	}
	return (*open)(spec, o, password)
}
