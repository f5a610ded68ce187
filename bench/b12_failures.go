package main

import (
	"context"
	"net"
	"net/url"
	"os"
	"syscall"
)

// twoFailures: what the decision to repeat costs. Nothing sleeps.
var twoFailures = bench{
	id: "B12", title: "two failures, then success, without waits, beside peers: ns and allocations", storeless: true, compared: true,
	run: func(ctx context.Context, s *session) error {
		return s.compare(ctx, []scene{
			{name: "errno", nanos: "<= 300", allocs: "<= 2", contenders: failing(errReset)},
			{name: "wrapped", contenders: failing(errWrapped)},
		})
	},
}

// errReset is the plainest error that is worth a retry; errWrapped is the same
// as net/http returns it.
var (
	errReset   error = syscall.ECONNRESET
	errWrapped error = &url.Error{Op: "Get", URL: "http://10.0.0.1/", Err: &net.OpError{
		Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET),
	}}
)

func failing(err error) []contender {
	return []contender{outlastFailing(err), failsafeFailing(err), cenkaltiFailing(err), avastFailing(err)}
}

// failures fails so many times before each success.
type failures struct {
	err  error
	left int
}

func (f *failures) call() error {
	if f.left == 0 {
		return nil
	}
	f.left--
	return f.err
}

// twice makes n calls that each fail twice first.
func (f *failures) twice(n int, call func() error) error {
	for range n {
		f.left = 2
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}
