package retrygrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/outlast-dev/outlast/retry"
)

// all receives until the end.
func all(stream interface{ RecvMsg(any) error }) (texts []string, err error) {
	for {
		text, err := receive(stream)
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return texts, err
		}
		texts = append(texts, text)
	}
}

// down is a stream from the server with one request.
func down(t *testing.T, conn *grpc.ClientConn, opts ...grpc.CallOption) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(t.Context(), descDown, methodDown, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(send(stream, "hello"), stream.CloseSend()); err != nil {
		t.Fatal(err)
	}
	return stream
}

// TestStreamBeforeFirstMessage: what fails before anything came back is repeated
// with what had been sent.
func TestStreamBeforeFirstMessage(t *testing.T) {
	s := &service{stream: func(number int, stream grpc.ServerStream) error {
		text, err := receive(stream)
		if err != nil || number < 3 {
			return errors.Join(err, errUnavailable)
		}
		for i := range 3 {
			if err := stream.SendMsg(text1(text, i)); err != nil {
				return err
			}
		}
		return nil
	}}
	got, err := all(down(t, connect(t, s, policy(t)), Idempotent()))
	if err != nil || strings.Join(got, ",") != "hello 0,hello 1,hello 2" || s.announced() != ",1,2" {
		t.Errorf("%q, %v, announced %q", got, err, s.announced())
	}
}

// TestStreamAfterFirstMessage: from then on the caller has seen something.
func TestStreamAfterFirstMessage(t *testing.T) {
	s := &service{stream: func(_ int, stream grpc.ServerStream) error {
		if err := stream.SendMsg(text1("one", 0)); err != nil {
			return err
		}
		return errUnavailable
	}}
	got, err := all(down(t, connect(t, s, policy(t)), Idempotent()))
	if status.Code(err) != codes.Unavailable || len(got) != 1 || s.calls() != 1 {
		t.Errorf("%q, %v after %d calls", got, err, s.calls())
	}
}

// TestStreamOutcomes: streams end like unary calls do.
func TestStreamOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		fn    func(number int, stream grpc.ServerStream) error
		opts  []grpc.CallOption
		code  codes.Code
		calls int
	}{
		"empty":          {func(int, grpc.ServerStream) error { return nil }, nil, codes.OK, 1},
		"not idempotent": {func(int, grpc.ServerStream) error { return errUnavailable }, nil, codes.Unavailable, 1},
		"exhausted": {func(int, grpc.ServerStream) error { return errUnavailable },
			[]grpc.CallOption{Idempotent()}, codes.Unavailable, 3},
		"permanent": {func(int, grpc.ServerStream) error { return status.Error(codes.NotFound, "") },
			[]grpc.CallOption{Idempotent()}, codes.NotFound, 1},
		"pushback": {func(_ int, stream grpc.ServerStream) error {
			stream.SetTrailer(metadata.Pairs(keyPushback, "-1"))
			return errUnavailable
		}, []grpc.CallOption{Idempotent()}, codes.Unavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &service{stream: c.fn}
			stream := down(t, connect(t, s, policy(t)), c.opts...)
			_, err := all(stream)
			if status.Code(err) != c.code || s.calls() != c.calls {
				t.Errorf("%v after %d calls", err, s.calls())
			}
			var ended *retry.Error
			if err != nil && (!errors.As(err, &ended) || ended.Attempts != c.calls) {
				t.Errorf("%#v", err)
			}
			// The end stays the end.
			if _, again := receive(stream); again == nil {
				t.Error("something came after the end")
			}
		})
	}
}

// TestClientStream: all that was sent is sent again, in order, and CloseSend too.
func TestClientStream(t *testing.T) {
	s := &service{stream: func(number int, stream grpc.ServerStream) error {
		if number == 1 {
			if _, err := receive(stream); err != nil { // reads one and fails
				return err
			}
			return errUnavailable
		}
		got, err := all(stream)
		if err != nil || number == 2 {
			return errors.Join(err, errUnavailable)
		}
		return stream.SendMsg(text1(strings.Join(got, ","), 0))
	}}
	stream, err := connect(t, s, policy(t)).NewStream(t.Context(), descUp, methodUp, Idempotent())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := send(stream, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if text, err := receive(stream); err != nil || text != "0,1,2,3,4,5,6,7,8,9 0" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestReplayIsBounded: what has sent more than is kept is not repeated.
func TestReplayIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		opts  []Option
		calls int
	}{
		"default":         {nil, 3},
		"enough":          {[]Option{Replay(2, 1000)}, 3},
		"messages":        {[]Option{Replay(1, 1000)}, 1},
		"bytes":           {[]Option{Replay(2, 103)}, 1},
		"none, negatives": {[]Option{Replay(-1, -1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &service{stream: func(_ int, stream grpc.ServerStream) error {
				_, err := all(stream)
				return errors.Join(err, errUnavailable)
			}}
			stream, err := connect(t, s, policy(t), c.opts...).NewStream(t.Context(), descUp, methodUp, Idempotent())
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(send(stream, strings.Repeat("a", 50), strings.Repeat("b", 50)), stream.CloseSend()); err != nil {
				t.Fatal(err)
			}
			if _, err := receive(stream); status.Code(err) != codes.Unavailable || s.calls() != c.calls {
				t.Errorf("%v after %d calls", err, s.calls())
			}
		})
	}
}

// TestTalk: one goroutine sends while another receives, over a stream that is opened
// anew in the middle.
func TestTalk(t *testing.T) {
	const most = 50
	s := &service{stream: func(number int, stream grpc.ServerStream) error {
		for i := 0; ; i++ {
			text, err := receive(stream)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if number < 3 && i == 5*number {
				return errUnavailable // having answered nothing
			}
			if number == 3 {
				if err := stream.SendMsg(text1(text, 0)); err != nil {
					return err
				}
			}
		}
	}}
	stream, err := connect(t, s, policy(t)).NewStream(t.Context(), descTalk, methodTalk, Idempotent())
	if err != nil {
		t.Fatal(err)
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		for i := range most {
			if err := send(stream, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		}
		if err := stream.CloseSend(); err != nil {
			t.Error(err)
		}
	})
	got, err := all(stream)
	sender.Wait()
	if err != nil || len(got) != most {
		t.Fatalf("%d messages, %v", len(got), err)
	}
	for i, text := range got {
		if text != fmt.Sprintf("%d 0", i) {
			t.Fatalf("message %d is %q", i, text)
		}
	}
}

// TestHeader: a header that the caller has seen is something that came back.
func TestHeader(t *testing.T) {
	s := &service{stream: func(number int, stream grpc.ServerStream) error {
		if err := stream.SendHeader(metadata.Pairs("number", fmt.Sprint(number))); err != nil {
			return err
		}
		if _, err := all(stream); err != nil {
			return err
		}
		return errUnavailable
	}}
	stream, err := connect(t, s, policy(t)).NewStream(t.Context(), descTalk, methodTalk, Idempotent())
	if err != nil {
		t.Fatal(err)
	}
	header, err := stream.Header()
	if err != nil || header.Get("number")[0] != "1" {
		t.Fatalf("%v, %v", header, err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := receive(stream); status.Code(err) != codes.Unavailable || s.calls() != 1 {
		t.Errorf("%v after %d calls", err, s.calls())
	}
}

// TestStreamTimes: an attempt's time ends with the first message; what comes later
// may take longer.
func TestStreamTimes(t *testing.T) {
	patiently(t, 50*time.Millisecond, streamTimes)
}

func streamTimes(t *testing.T, limit time.Duration) string {
	p := policy(t, retry.PerAttempt(limit))
	s := &service{stream: func(number int, stream grpc.ServerStream) error {
		if number == 1 {
			<-stream.Context().Done() // the client must hang up
			return stream.Context().Err()
		}
		for i := range 3 {
			if err := stream.SendMsg(text1("late", i)); err != nil {
				return err
			}
			select {
			case <-stream.Context().Done():
				return stream.Context().Err()
			case <-time.After(limit * 4 / 5):
			}
		}
		return nil
	}}
	got, err := all(down(t, connect(t, s, p), Idempotent()))
	if err != nil || len(got) != 3 || s.calls() != 2 {
		return fmt.Sprintf("%q, %v after %d calls", got, err, s.calls())
	}
	return ""
}

// TestAbandonedStream: a stream that is not read to its end settles with the
// caller's context, before and after the first message; nothing stays behind.
func TestAbandonedStream(t *testing.T) {
	for name, first := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan retry.EndEvent, 1)
			p := policy(t, retry.Observe(retry.Observer{End: func(e retry.EndEvent) { ended <- e }}))
			s := &service{stream: func(_ int, stream grpc.ServerStream) error {
				if first {
					if err := stream.SendMsg(text1("one", 0)); err != nil {
						return err
					}
				}
				<-stream.Context().Done()
				return nil
			}}
			ctx, cancel := context.WithCancel(t.Context())
			stream, err := connect(t, s, p).NewStream(ctx, descTalk, methodTalk, Idempotent())
			if err != nil {
				t.Fatal(err)
			}
			if first {
				if _, err := receive(stream); err != nil {
					t.Fatal(err)
				}
			}
			cancel()
			if e := <-ended; (e.Err == nil) != first || e.Attempts != 1 {
				t.Errorf("%+v", e)
			}
		})
	}
}

// TestStreamRefused: a guard that refuses gives no stream.
func TestStreamRefused(t *testing.T) {
	breaker, err := retry.NewBreaker(retry.BreakerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	breaker.Force(time.Now(), retry.Open)
	s := &service{}
	_, err = connect(t, s, policy(t, retry.WithBreaker(breaker))).NewStream(t.Context(), descTalk, methodTalk)
	if status.Code(err) != codes.Unavailable || !errors.Is(err, retry.ErrBreakerOpen) || s.calls() != 0 {
		t.Errorf("%v", err)
	}
}

// TestStreamUnreachable: without a connection nothing was sent.
func TestStreamUnreachable(t *testing.T) {
	refuse := grpc.WithContextDialer(nobody)
	conn := dial(t, append(DialOptions(policy(t)), refuse)...)
	_, err := conn.NewStream(t.Context(), descTalk, methodTalk)
	var ended *retry.Error
	if status.Code(err) != codes.Unavailable || !errors.As(err, &ended) || ended.Attempts != 3 {
		t.Errorf("%v", err)
	}
	if v := retry.Classify(err); v.Category != retry.Unsent || v.Effect != retry.NotSent {
		t.Errorf("%+v", v)
	}
}
