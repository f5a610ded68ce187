//go:build temporal

package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
)

func init() { optional = append(optional, temporalSystem{}) }

// temporalSystem is Temporal with standalone activities, which need no workflow; the search
// tries a workflow around each too. Its server is a process of its own on a fresh pair of
// databases, at its usual ports.
type temporalSystem struct{}

func (temporalSystem) name() string            { return temporalName }
func (temporalSystem) suits(store string) bool { return store == "postgres" }

func (temporalSystem) knobs(of work) []knob {
	switch of {
	case "": // of a kill: the least that such tasks allow
		return []knob{{"start-to-close", []string{(2 * crashTask).String()}}}
	case beating:
		return []knob{{"heartbeat", []string{"10s"}}}
	case waking:
		return []knob{
			{"pollers", []string{"16", "64", "4"}},
			{"shards", []string{"4", "16", "1"}},
			{"polls", []string{"1000", "20"}},
			{"shift", []string{"1s", "1ms"}},
		}
	}
	return []knob{
		{"inside", []string{"nothing", "workflow"}},
		{"shards", []string{"4", "16", "64", "512"}},
		{"pollers", []string{"64", "16", "128"}},
		{"polls", []string{"20", "1000"}},
		{"partitions", []string{"4", "1"}},
		{"connections", []string{"20", "40", "10"}},
	}
}

// make makes two databases and starts the server on them.
func (temporalSystem) make(ctx context.Context, s *session) (at place, err error) {
	server, err := s.servers.onPostgres(ctx)
	if err != nil {
		return place{}, err
	}
	t := &temporalServer{session: s}
	at = place{url: "127.0.0.1:7233", meter: t, drop: t.remove}
	if err = t.open(ctx, server); err != nil {
		return place{}, errors.Join(err, t.remove(context.WithoutCancel(ctx)))
	}
	return at, nil
}

// temporalServer is a server with its databases: tasks, and what lists them.
type temporalServer struct {
	session *session
	dir     string
	places  []place
	process *exec.Cmd
}

func (t *temporalServer) open(ctx context.Context, on *postgresServer) (err error) {
	if t.dir, err = os.MkdirTemp(t.session.config.dir, "outlast-bench-temporal-"); err != nil {
		return err
	}
	at, err := url.Parse(on.url)
	if err != nil {
		return err
	}
	var names []any
	for _, schema := range []string{"temporal", "visibility"} {
		p, err := on.place(ctx)
		if err != nil {
			return err
		}
		t.places = append(t.places, p)
		name := p.meter.(*postgresMeter).name
		names = append(names, name)
		for _, command := range [][]string{{"setup-schema", "-v", "0.0"}, {"update-schema", "--schema-name", "postgresql/v12/" + schema}} {
			args := append([]string{"--plugin", "postgres12", "--ep", at.Hostname(), "--port", at.Port(), "--user", at.User.Username(), "--db", name}, command...)
			if text, err := exec.CommandContext(ctx, t.program("sql"), args...).CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, text)
			}
		}
	}
	set := t.session.tuning()
	common := fmt.Sprintf("pluginName: postgres12, connectAddr: %q, connectProtocol: tcp, user: %q", at.Host, at.User.Username())
	config := fmt.Sprintf(temporalConfig, set.number("shards", 4), common, names[0], set.number("connections", 20), common, names[1], filepath.Join(t.dir, "dynamic.yaml"))
	dynamic := fmt.Sprintf(temporalDynamic, set.number("partitions", 4), set.duration("shift", time.Second), set.number("polls", 20))
	if err := errors.Join(os.WriteFile(filepath.Join(t.dir, "config.yaml"), []byte(config), 0o600), os.WriteFile(filepath.Join(t.dir, "dynamic.yaml"), []byte(dynamic), 0o600)); err != nil {
		return err
	}
	t.process = exec.Command(t.program("server"), "--config-file", filepath.Join(t.dir, "config.yaml"), "--allow-no-auth", "start")
	t.process.Stdout, t.process.Stderr = t.session.say, t.session.say
	if err := t.process.Start(); err != nil {
		t.process = nil
		return err
	}
	t.session.servers.temporal = t.process.Process.Pid
	return t.register(ctx)
}

func (t *temporalServer) program(name string) string {
	return filepath.Join(t.session.config.temporal, name)
}

// The server's own settings of one host, but for those of the search. Limits of rates
// are out of the way.
const (
	temporalConfig = `
log: {stdout: true, level: fatal}
persistence:
  numHistoryShards: %d
  defaultStore: tasks
  visibilityStore: visibility
  datastores:
    tasks: {sql: {%s, databaseName: %s, maxConns: %[4]d, maxIdleConns: %[4]d}}
    visibility: {sql: {%s, databaseName: %s, maxConns: 10, maxIdleConns: 10}}
global: {membership: {maxJoinDuration: 30s, broadcastAddress: 127.0.0.1}}
services:
  frontend: {rpc: {grpcPort: 7233, membershipPort: 6933, bindOnLocalHost: true}}
  history: {rpc: {grpcPort: 7234, membershipPort: 6934, bindOnLocalHost: true}}
  matching: {rpc: {grpcPort: 7235, membershipPort: 6935, bindOnLocalHost: true}}
  worker: {rpc: {grpcPort: 7239, membershipPort: 6939, bindOnLocalHost: true}}
clusterMetadata:
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation: {active: {enabled: true, initialFailoverVersion: 1, rpcAddress: "127.0.0.1:7233"}}
dynamicConfigClient: {filepath: %q, pollInterval: 1m}
`
	temporalDynamic = `
frontend.namespaceRPS: [{value: 1000000}]
frontend.namespaceRPS.visibility: [{value: 1000000}]
frontend.rps: [{value: 1000000}]
frontend.persistenceMaxQPS: [{value: 1000000}]
history.rps: [{value: 1000000}]
history.persistenceMaxQPS: [{value: 1000000}]
matching.rps: [{value: 1000000}]
matching.persistenceMaxQPS: [{value: 1000000}]
matching.numTaskqueueReadPartitions: [{value: %[1]d}]
matching.numTaskqueueWritePartitions: [{value: %[1]d}]
history.timerProcessorMaxTimeShift: [{value: %[2]s}]
history.transferProcessorMaxPollRPS: [{value: %[3]d}]
history.timerProcessorMaxPollRPS: [{value: %[3]d}]
history.visibilityProcessorMaxPollRPS: [{value: %[3]d}]
`
)

// register makes the namespace and waits until it is known.
func (t *temporalServer) register(ctx context.Context) error {
	options := temporalOptions("127.0.0.1:7233")
	namespaces, err := client.NewNamespaceClient(options)
	if err != nil {
		return err
	}
	defer namespaces.Close()
	err = until(ctx, 100*time.Millisecond, func() (bool, error) {
		err := namespaces.Register(ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace: client.DefaultNamespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
		})
		return err == nil, t.running()
	})
	if err != nil {
		return err
	}
	c, err := client.NewLazyClient(options)
	if err != nil {
		return err
	}
	defer c.Close()
	return until(ctx, 100*time.Millisecond, func() (bool, error) {
		_, err := c.CountActivities(ctx, client.CountActivitiesOptions{})
		return err == nil, t.running()
	})
}

// running is an error when the server has ended.
func (t *temporalServer) running() error {
	if procNamed(t.process.Process.Pid, "server").parent == 0 {
		return errors.New("the server of Temporal has ended")
	}
	return nil
}

func (t *temporalServer) remove(ctx context.Context) error {
	var errs []error
	if t.process != nil {
		t.session.servers.temporal = 0
		errs = append(errs, t.process.Process.Signal(syscall.SIGKILL))
		_ = t.process.Wait() // it was killed
	}
	for _, p := range t.places {
		errs = append(errs, p.remove(ctx))
	}
	return errors.Join(append(errs, os.RemoveAll(t.dir))...)
}

// read counts PostgreSQL and Temporal's server.
func (t *temporalServer) read(ctx context.Context) (u use, err error) {
	for _, p := range t.places {
		of, err := p.meter.read(ctx)
		if err != nil {
			return u, err
		}
		u.cpu, u.log, u.commits = of.cpu, of.log, u.commits+of.commits
	}
	u.cpu += treeTime(t.process.Process.Pid)
	return u, nil
}

func (t *temporalServer) left(ctx context.Context) (l leftovers, err error) {
	for _, p := range t.places {
		of, err := p.meter.left(ctx)
		if err != nil {
			return l, err
		}
		l.dead, l.bytes = l.dead+of.dead, l.bytes+of.bytes
	}
	return l, nil
}

func (t *temporalServer) settle(ctx context.Context) error {
	return errors.Join(t.places[0].meter.settle(ctx), t.places[1].meter.settle(ctx))
}

func temporalOptions(address string, calls ...grpc.UnaryClientInterceptor) client.Options {
	return client.Options{HostPort: address, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)), ConnectionOptions: client.ConnectionOptions{
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(calls...)},
	}}
}

func (temporalSystem) open(ctx context.Context, at place, o nodeOptions) (_ node, err error) {
	n := &temporalNode{options: o, ended: make(chan struct{})}
	if n.client, err = client.DialContext(ctx, temporalOptions(at.url, n.called)); err != nil {
		return nil, err
	}
	about, err := n.client.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		n.client.Close()
		return nil, err
	}
	n.version = about.ServerVersion
	if !o.enqueueOnly {
		n.worker = worker.New(n.client, jobType, worker.Options{
			DisableWorkflowWorker:              !n.inWorkflow(),
			MaxConcurrentWorkflowTaskPollers:   o.tuned.number("pollers", 16),
			MaxConcurrentActivityExecutionSize: o.slots,
			MaxConcurrentActivityTaskPollers:   o.tuned.number("pollers", 16),
		})
		n.worker.RegisterActivityWithOptions(n.work, activity.RegisterOptions{Name: jobType})
		if n.inWorkflow() {
			n.worker.RegisterWorkflowWithOptions(around, workflow.RegisterOptions{Name: jobType})
		}
	}
	return n, nil
}

// temporalNode is a client, with a worker unless it only enqueues.
type temporalNode struct {
	client  client.Client
	worker  worker.Worker
	options nodeOptions
	version string
	count   atomic.Int64
	ended   chan struct{} // closed when the server has acknowledged enough ends
}

// called counts the ends that the server has acknowledged: they are on disk.
func (n *temporalNode) called(ctx context.Context, method string, request, reply any, c *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := call(ctx, method, request, reply, c, options...)
	if err == nil && n.ends(request) && n.count.Add(1) == int64(n.options.tasks) {
		close(n.ended)
	}
	return err
}

func (n *temporalNode) ends(request any) bool {
	if !n.inWorkflow() {
		_, ends := request.(*workflowservice.RespondActivityTaskCompletedRequest)
		return ends
	}
	r, answers := request.(*workflowservice.RespondWorkflowTaskCompletedRequest)
	return answers && len(r.Commands) == 1 && r.Commands[0].CommandType == enums.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION
}

func (n *temporalNode) inWorkflow() bool { return n.options.tuned["inside"] == "workflow" }

// around is a workflow of one activity.
func around(ctx workflow.Context, payload []byte) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteActivity(ctx, jobType, payload).Get(ctx, nil)
}

func (n *temporalNode) work(ctx context.Context, payload []byte) error {
	if n.options.tuned["heartbeat"] != "" {
		alive, stop := context.WithCancel(ctx)
		defer stop()
		go func() {
			for sleepUntil(alive, time.Now().Add(time.Second)) {
				activity.RecordHeartbeat(ctx)
			}
		}()
	}
	err := n.options.handle(ctx, int(activity.GetInfo(ctx).Attempt), payload)
	if err != nil && n.options.retries {
		return temporal.NewApplicationErrorWithOptions(err.Error(), "", temporal.ApplicationErrorOptions{NextRetryDelay: cmp.Or(n.options.wait, time.Millisecond)})
	}
	return err
}

func (n *temporalNode) start(context.Context) error {
	if n.options.enqueueOnly {
		return nil
	}
	return n.worker.Start()
}

func (n *temporalNode) stop(context.Context) error {
	if n.worker != nil {
		n.worker.Stop()
	}
	n.client.Close()
	return nil
}

func (n *temporalNode) enqueue(ctx context.Context, j job) error {
	if n.inWorkflow() {
		_, err := n.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: rand.Text(), TaskQueue: jobType}, jobType, j.payload)
		return err
	}
	_, err := n.client.ExecuteActivity(ctx, client.StartActivityOptions{
		ID: rand.Text(), TaskQueue: jobType, StartDelay: j.delay,
		StartToCloseTimeout: n.options.tuned.duration("start-to-close", time.Minute), HeartbeatTimeout: n.options.tuned.duration("heartbeat", 0),
	}, jobType, j.payload)
	return err
}

// enqueueMany makes single calls, side by side: there is none for many.
func (n *temporalNode) enqueueMany(ctx context.Context, jobs []job) error {
	var next atomic.Int64
	return share(64, len(jobs), func(int) error { return n.enqueue(ctx, jobs[next.Add(1)-1]) })
}

func (n *temporalNode) drained(ctx context.Context) error {
	if err := wait(ctx, n.ended, drainLimit); err != nil {
		return fmt.Errorf("%d of %d tasks ended: %w", n.count.Load(), n.options.tasks, err)
	}
	return nil
}

// succeeded waits for the list of what has ended, which follows a moment later.
func (n *temporalNode) succeeded(ctx context.Context) (count int, err error) {
	err = until(ctx, 50*time.Millisecond, func() (bool, error) {
		if count, err = n.completed(ctx); err != nil {
			return false, err
		}
		return count >= n.options.tasks, nil
	})
	return count, err
}

func (n *temporalNode) completed(ctx context.Context) (int, error) {
	if n.inWorkflow() {
		found, err := n.client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: `ExecutionStatus = "Completed"`})
		return int(found.GetCount()), err
	}
	found, err := n.client.CountActivities(ctx, client.CountActivitiesOptions{Query: `ExecutionStatus = "Completed"`})
	if err != nil {
		return 0, err
	}
	return int(found.Count), nil
}

func (n *temporalNode) settings() settings {
	s := n.options.tuned.settings()
	s["server"], s["history"] = n.version, "on" // closed activities stay for 24 h
	if !n.options.enqueueOnly {
		s["slots"] = n.options.slots
	}
	if n.options.retries {
		s["retry"] = "NextRetryDelay " + cmp.Or(n.options.wait, time.Millisecond).String()
	}
	return s
}
