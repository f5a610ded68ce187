// Package email sends alerts by SMTP, with TLS. A program whose alerts go to channels of
// kind email imports it for its effect:
//
//	import _ "github.com/outlast-dev/outlast/alert/email"
//
// The server does.
//
// Stability: stable; it has no names.
package email

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
)

const (
	subjectBytes = 200
	// greylisted is when a server that has refused for now is asked again:
	// greylisting lets the same mail through after some minutes (RFC 6647).
	greylisted = 5 * time.Minute
)

func init() { channel.UseMail(open) }

// logins are the ways to log in, the best first. They are named here because the library,
// left to choose, takes a connection that we have secured for one in the clear, and then
// knows neither PLAIN nor LOGIN. Nobody logs in without TLS, see package internal/channel.
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

func open(spec *alert.ChannelSpec, o *channel.Options, password string) (alert.Channel, error) {
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

// Probe implements [alerts.Prober]: it connects, secures the connection, logs in where a
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
	out.Subject(plaintext.Cut(message.Title(), subjectBytes))
	// The same at every repeat, so that who gets it twice sees it once.
	out.SetMessageIDWithValue(message.ID + "@outlast")
	out.SetDateWithValue(message.At)
	out.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no answers from absentees
	out.SetBodyString(mail.TypeTextPlain, message.PlainText(channel.MailText))
	return out, nil
}

func (m *mailer) client(ctx context.Context) (client *mail.Client, hangUp func(), err error) {
	config := m.roots
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	config = config.Clone()
	config.ServerName = m.host
	timeout := alerts.DefaultTimeout
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
		return channel.Refused(m.host, code, retry.Throttled, greylisted, text)
	case code >= 500:
		return channel.Refused(m.host, code, retry.Permanent, 0, text)
	}
	return &channel.Error{Verdict: retry.ClassifyIn(ctx, err), Message: "the mail server " + m.host + " did not take the message: " + plaintext.Line(plaintext.Cut(err.Error(), 500)), Err: err}
}
