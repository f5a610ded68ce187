package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// unspoken is an error of an exchange in which nothing was asked, since the two sides
// did not agree how to speak: nil for any other error.
func (c *Client) unspoken(err error) error {
	var alert *net.OpError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record):
		return otherScheme(c.base, err)
	case c.base.Scheme == "http" && strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`): // an alert of TLS
		return otherScheme(c.base, err)
	case errors.As(err, &certificate):
		return c.distrusted(certificate)
	case errors.As(err, &alert) && alert.Op == "remote error": // what crypto/tls calls an alert
		return &task.Error{Code: task.CodeUnavailable, Message: "the server at " + c.base.Host + " refuses TLS with this client: " + alert.Err.Error(),
			Hint: "TLS 1.2 or later is spoken, without a certificate of the client; look at what stands before the server", Err: err}
	}
	return nil
}

// otherScheme is the error of a URL that begins with http where the server speaks
// https, or the reverse.
func otherScheme(base *url.URL, cause error) error {
	spoken := "https"
	if base.Scheme == "https" {
		spoken = "http"
	}
	e := task.Invalid("server", fmt.Sprintf("%s speaks %s, and the URL of the server begins with %s", base.Host, spoken, base.Scheme),
		"write it as "+spoken+strings.TrimPrefix(base.String(), base.Scheme))
	e.Err = cause
	return e
}

// distrusted is the error of a server whose certificate is not good here.
func (c *Client) distrusted(refused *tls.CertificateVerificationError) error {
	cause := refused.Err
	e := &task.Error{Code: task.CodeUnavailable, Err: refused}
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch of := "the certificate of " + c.base.Host; {
	case errors.As(cause, &host):
		e.Message = of + " is for other names: " + namesOf(host.Certificate)
		e.Hint = "call the server by one of them, or give it a certificate for this one"
	case errors.As(cause, &unknown):
		e.Message = of + " is of an authority that is not known here"
		e.Hint = "name the file with the certificate of the authority: --ca-file, OUTLAST_CA_FILE, or WithRootCAs in Go"
	case errors.As(cause, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil && time.Now().Before(invalid.Cert.NotBefore):
		e.Message = of + " is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.RFC3339)
		e.Hint = "compare the clocks: here it is " + time.Now().UTC().Format(time.RFC3339)
	case errors.As(cause, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		e.Message = of + " expired at " + invalid.Cert.NotAfter.UTC().Format(time.RFC3339)
		e.Hint = "renew it on the server, which reads it again by itself"
	default:
		e.Message = of + " is not good: " + cause.Error()
		e.Hint = "look at tls.cert on the server"
	}
	return e
}

// namesOf are the names that a certificate is for, as far as a message has room.
func namesOf(certificate *x509.Certificate) string {
	names := append([]string{}, certificate.DNSNames...)
	for _, address := range certificate.IPAddresses {
		names = append(names, address.String())
	}
	if len(names) == 0 {
		return "none"
	}
	for i := range names {
		names[i] = task.Quote(names[i])
	}
	if len(names) > 5 {
		names = append(names[:5], "…")
	}
	return strings.Join(names, ", ")
}

// plainToTLS reports whether an answer that is no problem document says that plain
// HTTP came to a port that speaks TLS. The sentences are those of Go, nginx and Apache.
func plainToTLS(status int, body []byte) bool {
	if status != http.StatusBadRequest {
		return false
	}
	for _, sentence := range []string{"HTTP request to an HTTPS server", "plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port"} {
		if strings.Contains(string(body), sentence) {
			return true
		}
	}
	return false
}

// Certificate returns the certificate that an https server showed, which was found
// good; nil for an http server. It is one exchange of its own.
func (c *Client) Certificate(ctx context.Context) (*x509.Certificate, error) {
	resp, err := c.send(ctx, call{method: http.MethodGet, path: "/livez"}, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.TLS == nil || len(resp.TLS.PeerCertificates) == 0 {
		return nil, nil
	}
	return resp.TLS.PeerCertificates[0], nil
}
