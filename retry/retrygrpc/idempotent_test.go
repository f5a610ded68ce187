package retrygrpc

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	_ "google.golang.org/protobuf/types/known/wrapperspb" // the messages of the service

	"github.com/outlast-dev/outlast/retry"
)

// TestDeclarations: who may say that a method is idempotent, and who wins.
func TestDeclarations(t *testing.T) {
	yes := func(method string) bool { return method == methodCall }
	for name, c := range map[string]struct {
		opts     []Option
		call     []grpc.CallOption
		policy   []retry.Option
		repeated bool
	}{
		"nobody":                      {nil, nil, nil, false},
		"the call":                    {nil, []grpc.CallOption{Idempotent()}, nil, true},
		"its method":                  {[]Option{IdempotentMethods(methodCall)}, nil, nil, true},
		"its method, no slash":        {[]Option{IdempotentMethods("test.Echo/Call")}, nil, nil, true},
		"its service":                 {[]Option{IdempotentMethods("/test.Echo/")}, nil, nil, true},
		"another method":              {[]Option{IdempotentMethods("/test.Echo/Cal")}, nil, nil, false},
		"a function":                  {[]Option{IdempotentIf(yes)}, nil, nil, true},
		"the policy":                  {nil, nil, []retry.Option{retry.Idempotent()}, true},
		"the policy, against methods": {[]Option{IdempotentIf(yes)}, nil, []retry.Option{retry.NotIdempotent()}, false},
		"the call, against policy":    {nil, []grpc.CallOption{Idempotent()}, []retry.Option{retry.NotIdempotent()}, true},
		"a rule":                      {nil, nil, []retry.Option{retry.On("UNAVAILABLE")}, true},
		"the call, against the rule":  {nil, []grpc.CallOption{NotIdempotent()}, []retry.Option{retry.On("UNAVAILABLE")}, false},
		"the call, against the rest":  {[]Option{IdempotentIf(yes)}, []grpc.CallOption{NotIdempotent()}, nil, false},
		"the last word for the call":  {nil, []grpc.CallOption{NotIdempotent(), Idempotent()}, nil, true},
		"the call, among other words": {nil, []grpc.CallOption{grpc.WaitForReady(true), Idempotent()}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := failing(errUnavailable)
			_, err := call1(t.Context(), connect(t, s, policy(t, c.policy...), c.opts...), "", c.call...)
			if (err == nil) != c.repeated {
				t.Errorf("%v after %d calls", err, s.calls())
			}
		})
	}
}

// TestIdempotencyLevel is read from the method's descriptor.
func TestIdempotencyLevel(t *testing.T) {
	method := func(name string, level *descriptorpb.MethodOptions_IdempotencyLevel) *descriptorpb.MethodDescriptorProto {
		return &descriptorpb.MethodDescriptorProto{
			Name: proto.String(name), InputType: proto.String(".google.protobuf.StringValue"),
			OutputType: proto.String(".google.protobuf.StringValue"), Options: &descriptorpb.MethodOptions{IdempotencyLevel: level},
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("test/levels.proto"), Package: proto.String("test"),
		Dependency: []string{"google/protobuf/wrappers.proto"},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("Levels"), Method: []*descriptorpb.MethodDescriptorProto{
			method("Read", descriptorpb.MethodOptions_NO_SIDE_EFFECTS.Enum()),
			method("Put", descriptorpb.MethodOptions_IDEMPOTENT.Enum()),
			method("Unknown", descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN.Enum()),
			method("Silent", nil),
		}}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := protoregistry.GlobalFiles.FindFileByPath("test/levels.proto"); err != nil { // else by an earlier run
		if err := protoregistry.GlobalFiles.RegisterFile(file); err != nil {
			t.Fatal(err)
		}
	}
	c := newClient(nil, nil)
	for method, want := range map[string]bool{
		"/test.Levels/Read": true, "/test.Levels/Put": true, "/test.Levels/Unknown": false, "/test.Levels/Silent": false,
		"/test.Levels/Absent": false, "/test.Absent/Read": false, "/google.protobuf.StringValue/value": false, "/": false, "": false,
		"Read": false, "//": false,
	} {
		for range 2 { // the second time from memory
			if got := c.isDeclared(method); got != want {
				t.Errorf("%q: %v", method, got)
			}
		}
	}
}

// refusingServer speaks just enough HTTP/2 to refuse the first streams, and ends the
// next one with the status UNIMPLEMENTED.
func refusingServer(t *testing.T, refuse int) (address string, refused chan int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused, done := make(chan int, 1), make(chan struct{})
	t.Cleanup(func() { listener.Close(); <-done })
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		n := refuseStreams(conn, refuse)
		refused <- n
		_, _ = io.Copy(io.Discard, conn) // until the client hangs up
	}()
	return listener.Addr().String(), refused
}

func refuseStreams(conn net.Conn, refuse int) (n int) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return 0
	}
	framer := http2.NewFramer(conn, conn)
	_ = framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return n
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		case *http2.DataFrame: // only now, or gRPC may not tell why the stream was closed
			if n < refuse {
				n++
				_ = framer.WriteRSTStream(frame.StreamID, http2.ErrCodeRefusedStream)
			}
		case *http2.HeadersFrame:
			if n < refuse {
				continue
			}
			// :status 200, content-type application/grpc, grpc-status 12 as literals.
			block := []byte{0x88}
			for _, field := range [][2]string{{"content-type", "application/grpc"}, {"grpc-status", "12"}} {
				block = append(block, 0, byte(len(field[0])))
				block = append(append(block, field[0]...), byte(len(field[1])))
				block = append(block, field[1]...)
			}
			_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: frame.StreamID, BlockFragment: block, EndHeaders: true, EndStream: true})
			return n
		}
	}
}

// TestRefusedStream: gRPC itself repeats a refused stream once; what it gives up on
// still has not been seen by any server, and is repeated without being idempotent.
func TestRefusedStream(t *testing.T) {
	address, refused := refusingServer(t, 4)
	conn, err := grpc.NewClient(address, append(DialOptions(policy(t)), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err = call1(ctx, conn, ""); status.Code(err) != codes.Unimplemented {
		t.Fatalf("%v", err)
	}
	if n := <-refused; n != 4 {
		t.Errorf("%d streams were refused", n)
	}
}

// TestClosedEarly: the bare io.EOF of a stream that was closed before the request
// was sent becomes a status, and is unsent as long as no other stream was there.
func TestClosedEarly(t *testing.T) {
	for name, c := range map[string]struct {
		peer   net.Addr
		effect retry.Effect
	}{"no other stream": {nil, retry.NotSent}, "another stream": {&net.TCPAddr{}, retry.Maybe}} {
		var verdict retry.Verdict
		p := policy(t, retry.Attempts(1), retry.Observe(retry.Observer{Attempt: func(e retry.AttemptEvent) { verdict = e.Verdict }}))
		client := newClient(p, nil)
		client.alone = true
		invoke := func(_ context.Context, _ string, _, _ any, _ *grpc.ClientConn, opts ...grpc.CallOption) error {
			for _, opt := range opts {
				if set, ok := opt.(grpc.PeerCallOption); ok {
					set.PeerAddr.Addr = c.peer
				}
			}
			return io.EOF
		}
		err := client.unary(t.Context(), methodCall, nil, nil, nil, invoke)
		if status.Code(err) != codes.Unavailable || verdict.Effect != c.effect {
			t.Errorf("%s: %v, %+v", name, err, verdict)
		}
	}
}
