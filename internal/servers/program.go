//go:build unix

package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Missing is the error of a server whose program is not installed.
type Missing struct {
	Server  string // such as PostgreSQL
	Program string // such as initdb
	Debian  string // package
	Brew    string // formula
}

// Error says what is missing and how it is installed.
func (m *Missing) Error() string {
	return fmt.Sprintf("%s is not installed (no %s in PATH or the usual folders): on Debian and Ubuntu run apt-get install %s, "+
		"on macOS brew install %s; make test does it where it may, see .ci/servers", m.Server, m.Program, m.Debian, m.Brew)
}

// folders are where servers lie that are not in PATH. Debian keeps the programs of
// PostgreSQL by version; servers of other packages are in folders that only root
// has in its PATH.
var folders = []string{
	"/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin", "/usr/pgsql-*/bin",
	"/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/opt/homebrew/opt/mariadb/bin", "/usr/local/opt/mariadb/bin",
}

// find returns the path of a program: the newest version in the usual folders, else
// the one in PATH. PATH comes second since it often has a link to one program of a
// set, and all programs of a server must be of one version.
func find(program string) (string, bool) {
	for _, pattern := range folders {
		found, _ := filepath.Glob(filepath.Join(pattern, program)) // the patterns are well formed
		sort.Slice(found, func(i, j int) bool { return version(found[i]) > version(found[j]) })
		for _, path := range found {
			if executable(path) {
				return path, true
			}
		}
	}
	path, err := exec.LookPath(program)
	return path, err == nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// version is the number in a path such as /usr/lib/postgresql/15/bin/initdb.
func version(path string) int {
	digits := strings.FieldsFunc(filepath.Dir(path), func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	number, _ := strconv.Atoi(digits[0]) // digits only
	return number
}
