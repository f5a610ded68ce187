package channel

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	netmail "net/mail"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/task"
)

// Limits of a mail.
const (
	mailSubject = 200      // bytes of the subject
	mailText    = 64 << 10 // bytes of the text
	// greylisted is when a server that has refused for now is asked again:
	// greylisting lets the same mail through after some minutes (RFC 6647).
	greylisted = 5 * time.Minute
)

// Email is mail by SMTP, with TLS.
const Email Kind = "email"

var emailKind = kind{
	name: Email, title: "E-mail", titleZH: "电子邮件",
	fields: []field{
		{name: "address", label: "Server, such as smtp.example.com:587", labelZH: "服务器，例如 smtp.example.com:587", required: true, about: "host:port"},
		{name: "tls", label: "Encryption", labelZH: "加密", about: "`starttls`, which is the default and demanded, `implicit`, `none`"},
		{name: "username", label: "User", labelZH: "用户名", about: "with a password"},
		{name: "password_env", label: "Variable that holds the password", labelZH: "保存密码的环境变量"},
		{name: "from", label: "From", labelZH: "发件人", required: true},
		{name: "to", label: "To, separated by commas", labelZH: "收件人，以逗号分隔", required: true},
	},
	limits: []alert.Limit{alert.PerMinute(60)}, text: mailText, escaping: "text/plain; subject on one line",
	check: checkMail, open: openMail,
}

// mostReceivers is how many people a channel may write to.
const mostReceivers = 50

func checkMail(s *Spec, refuse func(field, hint, format string, args ...any)) {
	host, port, err := net.SplitHostPort(s.Address)
	if number, portErr := strconv.ParseUint(port, 10, 16); s.Address != "" && (err != nil || host == "" || portErr != nil || number == 0) {
		refuse("address", "write it as smtp.example.com:587", "is no host and port")
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
		refuse("to", "", "has %d addresses; %d are the limit", len(s.To), mostReceivers)
		return
	}
	for i, to := range s.To {
		mailbox(refuse, "to["+strconv.Itoa(i)+"]", to)
	}
}

func mailbox(refuse func(field, hint, format string, args ...any), path, text string) {
	if _, err := netmail.ParseAddress(text); err != nil || strings.ContainsAny(text, "\r\n") {
		refuse(path, "write it as ops@example.com or Ops <ops@example.com>", "%s is no mail address", task.Quote(text))
	}
}

// logins are the ways to log in, the best first. They are named here because the library,
// left to choose, takes a connection that we have secured for one in the clear, and then
// knows neither PLAIN nor LOGIN. Nobody logs in without TLS, see [openMail].
var logins = []mail.SMTPAuthType{
	mail.SMTPAuthSCRAMSHA256PLUS, mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1PLUS, mail.SMTPAuthSCRAMSHA1,
	mail.SMTPAuthCramMD5, mail.SMTPAuthPlain, mail.SMTPAuthLogin,
}

// mailer sends mails through one server.
type mailer struct {
	http     *safehttp.Client
	host     string
	port     int
	tls      string
	username string
	password string
	from     string
	to       []string
	roots    *tls.Config // of tests; nil for the system's
}

func openMail(spec *Spec, o *Options) (alert.Channel, error) {
	password, err := o.secret("password", spec.PasswordEnv, spec.PasswordFile)
	if err != nil {
		return nil, err
	}
	if spec.TLS == "none" && spec.Username != "" {
		return nil, &retry.FieldError{Field: "tls", Message: "the password would be readable on the way", Hint: "use starttls or implicit"}
	}
	host, text, _ := net.SplitHostPort(spec.Address)
	port, _ := strconv.Atoi(text) // the specification was checked
	return &mailer{
		http: o.HTTP, host: host, port: port, tls: spec.TLS, username: spec.Username, password: password,
		from: spec.From, to: spec.To,
	}, nil
}

// Send implements [alert.Channel].
func (m *mailer) Send(ctx context.Context, message *alert.Message) error {
	mail, err := m.write(message)
	if err != nil {
		return err
	}
	client, hangUp, err := m.client(ctx)
	if err != nil {
		return err
	}
	defer hangUp()
	err = client.DialAndSendWithContext(ctx, mail)
	if mail.IsDelivered() {
		return nil // whatever happened at the end of the conversation
	}
	return m.explain(ctx, err)
}

// Probe implements [alert.Prober]: it connects, secures the connection, logs in where a
// user is configured, and leaves.
func (m *mailer) Probe(ctx context.Context) error {
	client, hangUp, err := m.client(ctx)
	if err != nil {
		return err
	}
	defer hangUp()
	if err := client.DialWithContext(ctx); err != nil {
		return m.explain(ctx, err)
	}
	_ = client.Close() // the server has let us in; how it says goodbye is nothing
	return nil
}

func (m *mailer) write(message *alert.Message) (*mail.Msg, error) {
	out := mail.NewMsg(mail.WithNoDefaultUserAgent())
	if err := errors.Join(out.From(m.from), out.To(m.to...)); err != nil {
		return nil, err
	}
	out.Subject(alert.Cut(message.Title(), mailSubject))
	// The same at every repeat, so that who gets it twice sees it once.
	out.SetMessageIDWithValue(message.ID + "@outlast")
	out.SetDateWithValue(message.At)
	out.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no answers from absentees
	out.SetBodyString(mail.TypeTextPlain, message.PlainText(mailText))
	return out, nil
}

func (m *mailer) client(ctx context.Context) (client *mail.Client, hangUp func(), err error) {
	config := m.roots
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	config = config.Clone()
	config.ServerName = m.host
	timeout := alert.DefaultTimeout
	if until, ok := ctx.Deadline(); ok {
		timeout = max(time.Until(until), time.Millisecond)
	}
	dial := m.http.DialContext
	options := []mail.Option{
		mail.WithPort(m.port), mail.WithTimeout(timeout), mail.WithTLSConfig(config), mail.WithoutNoop(), mail.WithHELO("outlast.local"),
	}
	switch m.tls {
	case "none":
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	case "implicit":
		options = append(options, mail.WithSSL())
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := m.http.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			secure := tls.Client(conn, config)
			if err := secure.HandshakeContext(ctx); err != nil {
				return nil, errors.Join(err, conn.Close())
			}
			return secure, nil
		}
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if m.username != "" {
		options = append(options, mail.WithOpportunisticSMTPAuth(logins...), mail.WithUsername(m.username), mail.WithPassword(m.password))
	}
	var opened net.Conn // the library leaves it open where the server refuses to begin
	options = append(options, mail.WithDialContextFunc(func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		conn, err = dial(ctx, network, address)
		if err == nil {
			opened = conn
		}
		return conn, err
	}))
	client, err = mail.NewClient(m.host, options...)
	return client, func() {
		if opened != nil {
			_ = opened.Close() // it may be closed
		}
	}, err
}

// explain classifies what a server said: 4yz is for now (greylisting, a full
// mailbox, a limit), 5yz for good (RFC 5321 §4.2.1).
func (m *mailer) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	send, sent := errors.AsType[*mail.SendError](err)
	code, text := 0, ""
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		code, text = reply.Code, reply.Msg
	} else if sent {
		code, text = send.ErrorCode(), send.Error()
	}
	switch {
	case code >= 400 && code < 500:
		return refused(m.host, code, retry.Throttled, greylisted, text)
	case code >= 500:
		return refused(m.host, code, retry.Permanent, 0, text)
	}
	return &Error{Verdict: retry.ClassifyIn(ctx, err), Message: "the mail server " + m.host + " did not take the message: " + alert.Line(alert.Cut(err.Error(), 500)), Err: err}
}
