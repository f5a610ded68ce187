//go:build linux

package main

import (
	"bufio"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// The composition is what the loader of Docker Compose takes, and works as written: its
// services run with its commands and environment, but for addresses, which are here those of
// a test, and for the images of others, which are programs of the machine.
func composed(t *testing.T, archive string) {
	t.Parallel()
	options, err := cli.NewProjectOptions([]string{"../compose.yaml"}, cli.WithProfiles([]string{"token"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server, token, receiver := project.Services["outlast"], project.Services["token"], project.Services["receiver"]
	if time.Duration(*server.StopGracePeriod) <= 40*time.Second {
		t.Errorf("the server gets %s to stop", server.StopGracePeriod)
	}
	if host := server.Ports[0].HostIP; host != "127.0.0.1" || len(project.Services["postgres"].Ports) > 0 {
		t.Errorf("the ports are open to others: %q, %v", host, project.Services["postgres"].Ports)
	}
	allowed, store := *server.Environment["OUTLAST_ALLOW_TARGET"], *server.Environment["OUTLAST_STORE"]
	if allowed != receiver.Networks["default"].Ipv4Address+"/32" {
		t.Errorf("tasks may call %s", allowed)
	}
	if token.Image != server.Image || !slices.Contains(token.Command, store) {
		t.Errorf("the token is made by %s %q", token.Image, token.Command)
	}
	postgres(t, project.Services["postgres"], store)

	test := database(t)
	here := func(text string) string {
		return strings.NewReplacer(store, test, allowed, "127.0.0.1/32").Replace(text)
	}
	c := unpack(t, archive)
	var args []string
	for _, arg := range token.Command {
		args = append(args, here(arg))
	}
	reach := []string{"OUTLAST_TOKEN=" + strings.TrimSpace(c.run(nil, args...))}
	env := []string{"OUTLAST_LISTEN=127.0.0.1:0"}
	for name, value := range server.Environment {
		env = append(env, name+"="+here(*value))
	}
	c.readOnly("data", "tmp")
	reach = append(reach, "OUTLAST_SERVER="+c.serve(env...))
	url := "http://127.0.0.1:" + receives(t, receiver, project.Configs["receiver"].Content) + "/orders"
	if task := c.task(reach, url); task.State != "succeeded" || task.Attempt != 2 {
		t.Errorf("the task is %+v", task)
	}
}

// postgres checks that the URL of the store is that of the database of the composition.
func postgres(t *testing.T, service types.ServiceConfig, store string) {
	parsed, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := parsed.User.Password()
	user := *service.Environment["POSTGRES_USER"]
	if parsed.Hostname() != service.Name || parsed.User.Username() != user || password != *service.Environment["POSTGRES_PASSWORD"] || parsed.Path != "/"+user {
		t.Errorf("%s is not the database %v", store, service.Environment)
	}
}

// database is the URL of an empty schema of the PostgreSQL server of a test run.
func database(t *testing.T) string {
	server := os.Getenv("OUTLAST_TEST_POSTGRES")
	if server == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("OUTLAST_TEST_POSTGRES names no server: run make test")
		}
		t.Skip("OUTLAST_TEST_POSTGRES names no server: go run ./internal/servers/with runs a command beside one")
	}
	parsed, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	query := parsed.Query()
	query.Set("schema", "compose_"+strconv.FormatInt(time.Now().UnixNano(), 36))
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

// receives starts the receiver on a free port, and returns which.
func receives(t *testing.T, service types.ServiceConfig, script string) string {
	file := filepath.Join(t.TempDir(), "receiver.py")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	args := slices.Clone(service.Command)
	for i, arg := range args {
		args[i] = strings.NewReplacer(service.Configs[0].Target, file, "8080", "0").Replace(arg)
	}
	command := exec.Command(args[0], args[1:]...)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	_, port, found := strings.Cut(strings.TrimSpace(line), "listens on ")
	if err != nil || !found {
		t.Fatalf("%q, %v", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return port
}
