package email

import (
	"bufio"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"math/big"
	"mime"
	"net"
	"net/mail"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	gomail "github.com/wneessen/go-mail"
	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/channeltest"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// password is the environment of the tests.
func password(name string) (string, bool) { return "SECcanary", name == "P" }

// postOffice is a mail server that speaks SMTP with TLS, from the first byte or by
// STARTTLS, and AUTH, one conversation at a time, and refuses what it is told to.
type postOffice struct {
	net.Listener
	certificate tls.Certificate
	done        chan struct{}

	mu      sync.Mutex
	replies map[string]string // by verb, instead of the usual one
	noTLS   bool
	smtps   bool   // TLS from the first byte
	login   string // the ways to log in that are offered; PLAIN when empty
	mails   []string
	auth    string
	secure  bool // the last mail came through TLS
	wrong   []string
}

func newPostOffice(t *testing.T) (*postOffice, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	office := &postOffice{Listener: listener, certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, done: make(chan struct{}), replies: map[string]string{}}
	go func() {
		defer close(office.done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			office.converse(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-office.done })
	return office, roots
}

func (o *postOffice) set(verb, reply string, noTLS bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.replies[verb], o.noTLS = reply, noTLS
}

func (o *postOffice) reply(verb, usual string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if reply := o.replies[verb]; reply != "" {
		return reply
	}
	return usual
}

func (o *postOffice) converse(conn net.Conn) {
	conn.SetDeadline(time.Now().Add(10 * time.Second)) //nolint:errcheck // test
	o.mu.Lock()
	secure, login := o.smtps, cmp.Or(o.login, "PLAIN")
	o.mu.Unlock()
	if secure {
		conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{o.certificate}, MinVersion: tls.VersionTLS12})
	}
	reader, authenticated := bufio.NewReader(conn), false
	say := func(line string) { io.WriteString(conn, line+"\r\n") } //nolint:errcheck // test
	say(o.reply("", "220 post.example ESMTP"))
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb, rest, _ := strings.Cut(line, " ")
		switch verb = strings.ToUpper(verb); verb {
		case "EHLO":
			o.mu.Lock()
			noTLS := o.noTLS
			o.mu.Unlock()
			offers := []string{"post.example", "8BITMIME", "ENHANCEDSTATUSCODES"}
			switch {
			case secure || noTLS: // a server that would take the password in the clear
				offers = append(offers, "AUTH "+login)
			case !noTLS:
				offers = append(offers, "STARTTLS")
			}
			for i, offer := range offers {
				mark := "-"
				if i == len(offers)-1 {
					mark = " "
				}
				say("250" + mark + offer)
			}
		case "STARTTLS":
			say("220 go ahead")
			upgraded := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{o.certificate}, MinVersion: tls.VersionTLS12})
			if upgraded.Handshake() != nil {
				return
			}
			conn, reader, secure = upgraded, bufio.NewReader(upgraded), true
		case "AUTH":
			if rest == "LOGIN" {
				for _, question := range []string{"Username:", "Password:"} {
					say("334 " + base64.StdEncoding.EncodeToString([]byte(question)))
					answer, _ := reader.ReadString('\n')
					rest += " " + strings.TrimRight(answer, "\r\n")
				}
			}
			o.mu.Lock()
			o.auth = rest
			o.mu.Unlock()
			authenticated = true
			say(o.reply(verb, "235 2.7.0 welcome"))
		case "MAIL", "RCPT":
			if !authenticated || !secure {
				say("530 5.7.0 authenticate first")
				continue
			}
			say(o.reply(verb, "250 2.1.0 ok"))
		case "DATA":
			say(o.reply(verb, "354 go on"))
			if o.reply(verb, "354")[0] != '3' {
				continue
			}
			var text strings.Builder
			for {
				line, err := reader.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				text.WriteString(strings.TrimPrefix(line, "."))
			}
			o.mu.Lock()
			o.mails, o.secure = append(o.mails, text.String()), secure
			o.mu.Unlock()
			say(o.reply("END", "250 2.0.0 taken"))
		case "QUIT":
			say(o.reply(verb, "221 bye"))
			return
		case "RSET":
			say("250 2.0.0 ok")
		default:
			o.mu.Lock()
			o.wrong = append(o.wrong, line)
			o.mu.Unlock()
			say("502 5.5.1 what?")
		}
	}
}

func newMailer(t *testing.T, office *postOffice, roots *x509.CertPool, change func(*alert.ChannelSpec)) *mailer {
	t.Helper()
	spec := &alert.ChannelSpec{
		Name: "mail", Kind: alert.ToEmail, Address: office.Addr().String(), Username: "outlast", PasswordEnv: "P",
		From: "Outlast <outlast@example.com>", To: []string{"ops@example.com", "Büro <office@example.com>"},
	}
	if change != nil {
		change(spec)
	}
	if err := channel.Check(spec); err != nil {
		t.Fatal(err)
	}
	client := safehttp.New(safehttp.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.CloseIdleConnections)
	opened, err := channel.New(spec, channel.Options{Trusted: true, HTTP: client, Lookup: password})
	if err != nil {
		t.Fatal(err)
	}
	made := opened.(*mailer)
	made.roots = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return made
}

func TestMail(t *testing.T) {
	t.Parallel()
	office, roots := newPostOffice(t)
	sender := newMailer(t, office, roots, nil)
	for _, m := range []*alert.Message{channeltest.Hostile(), channeltest.Huge()} {
		if err := sender.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		office.mu.Lock()
		text, secure, auth, wrong := office.mails[len(office.mails)-1], office.secure, office.auth, office.wrong
		office.mu.Unlock()
		if plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(auth, "PLAIN ")); !secure || string(plain) != "\x00outlast\x00SECcanary" || len(wrong) > 0 {
			t.Fatalf("secure %v, auth %q, wrong %q", secure, plain, wrong)
		}
		got, err := mail.ReadMessage(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
		if err != nil || !strings.HasPrefix(subject, "[outlast] CRITICAL exhausted: mail.send @all") || len(subject) > subjectBytes {
			t.Errorf("subject %q, %v", subject, err)
		}
		if len(got.Header["Subject"]) != 1 || got.Header.Get("Message-Id") != "<"+m.ID+"@outlast>" || got.Header.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("header %q", got.Header)
		}
		if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") {
			t.Errorf("a mail of type %s", kind)
		}
	}
}

// Servers on port 465 and those with STARTTLS offer PLAIN and LOGIN, as a rule, and
// nothing else.
func TestMailLogsIn(t *testing.T) {
	t.Parallel()
	plain := "PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00outlast\x00SECcanary"))
	login := "LOGIN " + base64.StdEncoding.EncodeToString([]byte("outlast")) + " " + base64.StdEncoding.EncodeToString([]byte("SECcanary"))
	for _, row := range []struct{ tls, offers, want string }{
		{"implicit", "PLAIN LOGIN", plain},
		{"implicit", "LOGIN PLAIN", plain},
		{"implicit", "LOGIN", login},
		{"implicit", "XOAUTH2 PLAIN", plain},
		{"starttls", "PLAIN LOGIN", plain},
		{"starttls", "LOGIN", login},
	} {
		office, roots := newPostOffice(t)
		office.mu.Lock()
		office.smtps, office.login = row.tls == "implicit", row.offers
		office.mu.Unlock()
		sender := newMailer(t, office, roots, func(spec *alert.ChannelSpec) { spec.TLS = row.tls })
		if err := sender.Send(t.Context(), channeltest.Hostile()); err != nil {
			t.Errorf("%+v: %v", row, err)
		}
		office.mu.Lock()
		if office.auth != row.want || !office.secure || len(office.mails) != 1 || len(office.wrong) > 0 {
			t.Errorf("%+v: auth %q, secure %v, %d mails, wrong %q", row, office.auth, office.secure, len(office.mails), office.wrong)
		}
		office.mu.Unlock()
	}
}

func TestMailServersThatRefuse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		verb, reply string
		category    retry.Category
		code        string
		after       time.Duration
	}{
		{"RCPT", "450 4.7.1 Greylisting in action, please come back later", retry.Throttled, "450", greylisted},
		{"MAIL", "451 4.3.0 try later", retry.Throttled, "451", greylisted},
		{"END", "452 4.2.2 mailbox full", retry.Throttled, "452", greylisted},
		{"RCPT", "550 5.1.1 no such user", retry.Permanent, "550", 0},
		{"MAIL", "553 5.1.8 sender refused", retry.Permanent, "553", 0},
		{"END", "554 5.7.1 looks like spam", retry.Permanent, "554", 0},
		{"AUTH", "535 5.7.8 bad credentials", retry.Permanent, "535", 0},
		{"AUTH", "454 4.7.0 temporary failure", retry.Throttled, "454", greylisted},
		{"", "421 4.3.2 shutting down", retry.Throttled, "421", greylisted},
	} {
		office, roots := newPostOffice(t)
		office.set(row.verb, row.reply, false)
		err := newMailer(t, office, roots, nil).Send(t.Context(), channeltest.Hostile())
		t.Log(err)
		channeltest.WantVerdict(t, err, row.category, row.code, row.after)
	}
}

func TestMailIsNeverSentInTheClear(t *testing.T) {
	t.Parallel()
	office, roots := newPostOffice(t)
	office.set("", "", true)
	for _, secured := range []string{"", "starttls", "implicit"} {
		if err := newMailer(t, office, roots, func(spec *alert.ChannelSpec) { spec.TLS = secured }).Send(t.Context(), channeltest.Hostile()); err == nil {
			t.Errorf("a server without TLS got the mail of a channel with tls: %q", secured)
		}
	}
	plain := &alert.ChannelSpec{Name: "mail", Kind: alert.ToEmail, Address: office.Addr().String(), TLS: "none", Username: "u", PasswordEnv: "P"}
	if _, err := channel.New(plain, channel.Options{Trusted: true, Lookup: password}); err == nil {
		t.Error("would log in without TLS")
	}
	office.set("", "", false)
	stranger := newMailer(t, office, x509.NewCertPool(), nil)
	if err := stranger.Send(t.Context(), channeltest.Hostile()); err == nil {
		t.Error("an unknown certificate was taken")
	}
	office.mu.Lock()
	defer office.mu.Unlock()
	if office.auth != "" || len(office.mails) > 0 {
		t.Error("the password or a mail went out")
	}
}

// TestMailThatWasTaken: an error after the server has taken the mail is none,
// or it would be sent twice.
func TestMailThatWasTaken(t *testing.T) {
	t.Parallel()
	office, roots := newPostOffice(t)
	office.set("QUIT", "421 gone", false)
	if err := newMailer(t, office, roots, nil).Send(t.Context(), channeltest.Hostile()); err != nil {
		t.Error(err)
	}
}

func TestProbeOfMail(t *testing.T) {
	t.Parallel()
	office, roots := newPostOffice(t)
	sender := newMailer(t, office, roots, nil)
	if err := sender.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	office.mu.Lock()
	mails, auth, wrong := len(office.mails), office.auth, office.wrong
	office.mu.Unlock()
	if mails != 0 || auth == "" || len(wrong) > 0 {
		t.Errorf("%d mails, auth %q, wrong %q", mails, auth, wrong)
	}
	office.set("AUTH", "535 5.7.8 bad credentials", false)
	if err := sender.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "535") || strings.Contains(err.Error(), "SECcanary") {
		t.Errorf("bad credentials: %v", err)
	}
}

// A mail server that cannot be called for want of descriptors is no failure of its own.
func TestExhausted(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]string{syscall.EMFILE: "EMFILE", syscall.EADDRNOTAVAIL: "EADDRNOTAVAIL", syscall.ECONNREFUSED: ""} {
		failed := (&mailer{host: "mail.example.com"}).explain(t.Context(), mailError(t, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", errno)}))
		of, ok := errors.AsType[*channel.Error](failed)
		if !ok || of.Exhausted() != want {
			t.Errorf("%s: want %q (%v)", errno, want, failed)
		}
	}
}

// mailError is what the library for mail makes of a connection that fails.
func mailError(t *testing.T, err error) error {
	t.Helper()
	client, failed := gomail.NewClient("mail.example.com", gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return nil, err }))
	if failed != nil {
		t.Fatal(failed)
	}
	return client.DialWithContext(t.Context())
}
