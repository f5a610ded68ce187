package config

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/outlast-dev/outlast/internal/channel"
)

// othersMay are the bits of a file's mode that let every user of the machine read or
// write it.
const othersMay = 0o006

// Exposed names the files with secrets that every user of the machine can read or
// write: those of encryption keys, of the key of TLS, and of alert channels.
func (f *File) Exposed() (all []Problem) {
	look := func(path, file string) {
		if problem := exposed(file); problem != "" {
			all = append(all, Problem{Path: path, Message: problem, Hint: "chmod 600 it, or 640 with the group of the server"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Encryption.Keys)) {
		look(join("encryption.keys", name)+".file", f.Encryption.Keys[name].File)
	}
	look("tls.key", f.TLS.Key)
	for _, name := range slices.Sorted(maps.Keys(f.Alerts.Channels)) {
		spec, err := channel.Parse(f.Alerts.Channels[name].Body)
		if err != nil {
			continue // it was read from what was checked
		}
		path := join("alerts.channels", name)
		look(path+".url_file", spec.URLFile)
		look(path+".secret_file", spec.SecretFile)
		look(path+".password_file", spec.PasswordFile)
	}
	f.Place(all)
	return all
}

// exposed says who else can read a file, "" where nobody can. What is missing is told
// by who reads it. On Windows the mode says nothing of that.
func exposed(file string) string {
	if file == "" || runtime.GOOS == "windows" {
		return ""
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&othersMay == 0 {
		return ""
	}
	return fmt.Sprintf("every user of this machine can access the file; its mode is %04o", info.Mode().Perm())
}
