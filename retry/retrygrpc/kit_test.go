package retrygrpc

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/outlast-dev/outlast/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is a scripted server. Number counts the calls from 1.
type service struct {
	unary  func(ctx context.Context, number int, text string) (string, error)
	stream func(number int, stream grpc.ServerStream) error

	mu       sync.Mutex
	number   int
	attempts []string // what each call announced
}

// count notes a call and returns its number.
func (s *service) count(ctx context.Context) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	received, _ := metadata.FromIncomingContext(ctx)
	s.number++
	s.attempts = append(s.attempts, strings.Join(received.Get(keyAttempts), "+"))
	return s.number
}

func (s *service) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.number
}

// announced is what the calls announced, joined.
func (s *service) announced() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.attempts, ",")
}

const (
	methodCall = "/test.Echo/Call"
	methodDown = "/test.Echo/Down"
	methodUp   = "/test.Echo/Up"
	methodTalk = "/test.Echo/Talk"
)

var (
	descDown = &grpc.StreamDesc{StreamName: "Down", ServerStreams: true}
	descUp   = &grpc.StreamDesc{StreamName: "Up", ClientStreams: true}
	descTalk = &grpc.StreamDesc{StreamName: "Talk", ServerStreams: true, ClientStreams: true}
)

// description is that of the service test.Echo, whose messages are strings.
func description() *grpc.ServiceDesc {
	streamed := func(srv any, stream grpc.ServerStream) error {
		s := srv.(*service)
		return s.stream(s.count(stream.Context()), stream)
	}
	desc := &grpc.ServiceDesc{ServiceName: "test.Echo", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "Call",
		Handler: func(srv any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
			req := &wrapperspb.StringValue{}
			if err := decode(req); err != nil {
				return nil, err
			}
			handle := func(ctx context.Context, req any) (any, error) {
				s := srv.(*service)
				text, err := s.unary(ctx, s.count(ctx), req.(*wrapperspb.StringValue).Value)
				return wrapperspb.String(text), err
			}
			if interceptor == nil {
				return handle(ctx, req)
			}
			return interceptor(ctx, req, &grpc.UnaryServerInfo{Server: srv, FullMethod: methodCall}, handle)
		},
	}}}
	for _, d := range []*grpc.StreamDesc{descDown, descUp, descTalk} {
		desc.Streams = append(desc.Streams, grpc.StreamDesc{
			StreamName: d.StreamName, Handler: streamed, ServerStreams: d.ServerStreams, ClientStreams: d.ClientStreams,
		})
	}
	return desc
}

// serve runs the service in this process and returns a dialer to it.
func serve(t *testing.T, s *service, opts ...grpc.ServerOption) grpc.DialOption {
	t.Helper()
	listener, server := bufconn.Listen(1<<20), grpc.NewServer(opts...)
	server.RegisterService(description(), s)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) })
}

// dial connects.
func dial(t *testing.T, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///echo", append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// connect serves and connects with the options of this package.
func connect(t *testing.T, s *service, p *retry.Policy, opts ...Option) *grpc.ClientConn {
	t.Helper()
	return dial(t, append(DialOptions(p, opts...), serve(t, s))...)
}

// patiently runs a test under a limit of time, and says what was wrong. On a busy
// machine a limit may be over before anything has begun: it has then a longer one.
func patiently(t *testing.T, limit time.Duration, test func(t *testing.T, limit time.Duration) (wrong string)) {
	t.Helper()
	wrong := test(t, limit)
	for ; wrong != "" && limit < 2*time.Second; wrong = test(t, limit) {
		limit *= 4
	}
	if wrong != "" {
		t.Error(wrong)
	}
}

// policy is three attempts with short waits.
func policy(t *testing.T, options ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(append([]retry.Option{retry.Fixed(time.Millisecond), retry.NoJitter(), retry.Attempts(3)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call makes a unary call.
func call1(ctx context.Context, conn *grpc.ClientConn, text string, opts ...grpc.CallOption) (string, error) {
	reply := &wrapperspb.StringValue{}
	err := conn.Invoke(ctx, methodCall, wrapperspb.String(text), reply, opts...)
	return reply.Value, err
}

// failing answers the first calls with errors and then with the request.
func failing(errs ...error) *service {
	return &service{unary: func(_ context.Context, number int, text string) (string, error) {
		if number <= len(errs) {
			return "", errs[number-1]
		}
		return text, nil
	}}
}

var errUnavailable = status.Error(codes.Unavailable, "not now")

func send(stream grpc.ClientStream, texts ...string) error {
	for _, text := range texts {
		if err := stream.SendMsg(wrapperspb.String(text)); err != nil {
			return err
		}
	}
	return nil
}

func receive(stream interface{ RecvMsg(any) error }) (string, error) {
	reply := &wrapperspb.StringValue{}
	err := stream.RecvMsg(reply)
	return reply.Value, err
}

func text1(text string, i int) *wrapperspb.StringValue {
	return wrapperspb.String(text + " " + strconv.Itoa(i))
}

func nobody(context.Context, string) (net.Conn, error) { return nil, errors.New("nobody there") }
