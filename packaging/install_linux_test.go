package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The lines of the documents install Outlast on a Debian that has nothing of it, as a
// package and by hand, and systemd runs it there as the unit says, until a task that was
// retried has succeeded.
func TestInstall(t *testing.T) {
	debian := filepath.Join("..", ".cache", "debian.tar")
	root := able(t)
	if out, err := exec.Command("./debian", debian).CombinedOutput(); err != nil {
		t.Fatalf("no Debian: %v\n%s", err, out)
	}
	blocks := installBlocks(t)
	for name, script := range map[string]string{
		"package": strings.Join([]string{prepare, blocks["apt"], checked, "man=/usr/share/man/man1/outlast-task-enqueue.1.gz\ngzip -t $man", retried, upgraded, removed}, "\n"),
		"by hand": strings.Join([]string{prepare, blocks["by hand"], blocks["try"], checked, credentials(t), retried}, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			boot(t, root, debian, script)
		})
	}
}

// able returns what runs a command as root, and skips where nothing does.
func able(t *testing.T) (root []string) {
	var missing []string
	for _, program := range []string{"mmdebstrap", "unshare", "setpriv"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	if os.Geteuid() != 0 {
		root = []string{"sudo", "-n"}
		if exec.Command("sudo", "-n", "true").Run() != nil {
			missing = append(missing, "the right to be root")
		}
	}
	if missing != nil && os.Getenv("CI") != "" {
		t.Fatalf("continuous integration installs the package, which needs %q", missing)
	}
	if missing != nil {
		t.Skipf("to install the package takes %q", missing)
	}
	return root
}

// boot runs a script in a fresh Debian, with the artifacts beside it.
func boot(t *testing.T, root []string, debian, script string) {
	work := t.TempDir()
	for _, name := range here.artifacts() {
		if err := os.Link(filepath.Join(made.out, name), filepath.Join(work, name)); err != nil {
			if err := os.WriteFile(filepath.Join(work, name), read(t, filepath.Join(made.out, name)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(work, "script"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // of a machine that is stuck
	defer cancel()
	args := append(root, "./boot", debian, work)
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	out, err := command.CombinedOutput()
	said, _ := os.ReadFile(filepath.Join(work, "said"))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, said)
	}
	if found := regexp.MustCompile(`(?m)^took .*$`).Find(said); found != nil {
		t.Logf("install, start and the first retry %s", found)
	}
}

// document is a file of the documents, wherever it lies.
func document(t *testing.T, name string) string {
	var found string
	if err := filepath.WalkDir("../docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == name {
			found = path
		}
		return err
	}); err != nil || found == "" {
		t.Fatal(name, err)
	}
	return string(read(t, found))
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// installBlocks are the blocks of docs/how-to/deploy.md that install. If the README has one for
// Debian, it is the same.
func installBlocks(t *testing.T) map[string]string {
	blocks := map[string]string{}
	keep := func(name, text string) {
		if one, found := blocks[name]; found && one != text {
			t.Errorf("the README and docs/how-to/deploy.md differ:\n%s\n%s", one, text)
		}
		blocks[name] = strings.ReplaceAll(text, "_amd64", "_"+here.arch)
	}
	for _, text := range []string{string(read(t, "../README.md")), string(read(t, "../README.zh-CN.md")), document(t, "deploy.md")} {
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			switch text := block[1]; {
			case strings.Contains(text, "apt install"):
				keep("apt", text)
			case strings.Contains(text, "useradd"):
				keep("by hand", text)
			}
		}
	}
	if blocks["apt"] == "" || blocks["by hand"] == "" {
		t.Fatalf("docs/how-to/deploy.md does not say how to install: %q", blocks)
	}
	for line := range strings.Lines(blocks["apt"]) {
		if strings.HasPrefix(line, "outlast ") {
			blocks["try"] += line
		}
	}
	return blocks
}

// prepare is what the Debian of a test has and others have not: releases come from the
// folder beside the script, who runs it is root already, and nobody is there to say yes.
const prepare = `
cat >/usr/local/bin/sudo <<'END'
#!/bin/sh
[ "$1" = -u ] || exec "$@"
user=$2
shift 2
exec runuser -u "$user" -- "$@"
END
cat >/usr/local/bin/curl <<'END'
#!/bin/sh
for url; do :; done
case $url in
https://github.com/outlast-dev/outlast/releases/download/v` + version + `/*) exec cp "/check/${url##*/}" . ;;
*) exec /usr/bin/curl "$@" ;;
esac
END
chmod 755 /usr/local/bin/*
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
export DEBIAN_FRONTEND=noninteractive
trap '[ $? = 0 ] || journalctl --no-pager --unit outlast --lines 20' EXIT
began=$(date +%s%N)
`

// checked is what holds once the documented lines are through: the task is retried, by a
// service that systemd has nothing to say against, under its user, which can write its
// own folder alone.
const checked = `
until outlast task list --output jsonl | grep '"attempt":[2-9]'; do sleep 0.1; done
echo "took $((($(date +%s%N) - began) / 1000000)) ms"
id=$(outlast task list --output jsonl | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
systemctl is-enabled outlast
systemctl is-active outlast
[ -z "$(systemd-analyze verify outlast.service 2>&1)" ]
pid=$(systemctl show -P MainPID outlast)
[ "$(stat -c %U /proc/$pid)" = outlast ]
[ "$(stat -c '%U %G %a' /var/lib/outlast)" = 'outlast outlast 700' ]
awk '$2 == "/" && $4 ~ /^ro/ { found = 1 } END { exit !found }' "/proc/$pid/mounts"
grep 'CapEff:.0000000000000000' /proc/$pid/status
grep 'NoNewPrivs:.1' /proc/$pid/status
grep 'Seccomp:.2' /proc/$pid/status
systemctl reload outlast
sudo -u outlast outlast doctor --store sqlite:/var/lib/outlast/outlast.db
`

// retried lets the task succeed: somebody answers at last. The server is started anew
// meanwhile, which costs the task no attempt.
const retried = `
echo 'push: {allow: ["127.0.0.0/8"]}' >>/etc/outlast/outlast.yaml
outlast config check /etc/outlast/outlast.yaml
systemctl restart outlast
perl -MIO::Socket::INET -e '
	$to = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 80, Listen => 5) or die;
	while ($one = $to->accept) {
		while (<$one>) { $length = $1 if /^content-length: (\d+)/i; last if /^\r\n$/ }
		read $one, $body, $length;
		print $one "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
		close $one;
	}' &
receiver=$!
echo '127.0.0.1 receiver.example' >>/etc/hosts
until outlast task get "$id" | grep '^state *succeeded'; do sleep 0.1; done
outlast task get "$id" | grep '^attempt *[2-8]/8'
kill "$receiver"
`

// upgraded: a newer package leaves what people have changed, and the server runs anew.
const upgraded = `
cd /root
dpkg-deb -R /check/outlast_*.deb newer
sed -i 's/^Version: .*/Version: 9.9.9/' newer/DEBIAN/control
dpkg-deb -Zgzip -z1 -b newer newer.deb
pid=$(systemctl show -P MainPID outlast)
apt install ./newer.deb
[ "$(systemctl show -P MainPID outlast)" != "$pid" ]
systemctl is-active outlast
grep '^push:' /etc/outlast/outlast.yaml
outlast task get "$id" | grep '^state *succeeded'
`

// removed: nothing runs, and what belongs to people stays.
const removed = `
sudo apt remove outlast
! systemctl is-active outlast
[ ! -e /usr/bin/outlast ]
[ -s /etc/outlast/outlast.yaml ]
sudo apt purge outlast
[ ! -e /etc/outlast/outlast.yaml ]
[ -s /var/lib/outlast/outlast.db ]
`

// credentials does what docs/how-to/deploy.md says of a secret in a file: nobody but root can read
// it, and the server has it all the same.
func credentials(t *testing.T) string {
	text := document(t, "deploy.md")
	unit := regexp.MustCompile("(?s)```ini\n(.*?LoadCredential.*?)```").FindStringSubmatch(text)
	keys := regexp.MustCompile("(?s)```yaml\n(encryption:.*?)```").FindStringSubmatch(text)
	if unit == nil || keys == nil {
		t.Fatal("docs/how-to/deploy.md does not say how the service gets a secret in a file")
	}
	var script bytes.Buffer
	script.WriteString("(umask 077 && head -c 32 /dev/urandom | base64 >/etc/outlast/k1)\n")
	script.WriteString("! sudo -u outlast cat /etc/outlast/k1\n")
	script.WriteString("mkdir /etc/systemd/system/outlast.service.d\ncat >/etc/systemd/system/outlast.service.d/override.conf <<'END'\n" + unit[1] + "END\n")
	script.WriteString("cat >>/etc/outlast/outlast.yaml <<'END'\n" + keys[1] + "END\n")
	script.WriteString("systemctl daemon-reload\nsystemctl restart outlast\n")
	script.WriteString("outlast task enqueue --type sealed --payload '\"nobody reads me\"'\n")
	script.WriteString("! grep -r 'nobody reads me' /var/lib/outlast\n")
	return script.String()
}
