// Package cli is what all commands of the program share: streams, flags and exit codes,
// the connection to the server, tables and JSON, questions and input.
package cli

import (
	"fmt"
	"io"
)

// Env is what the commands share: where they read and write, and the flags that all of
// them have. Who runs the program sets the first part; [Complete] has the flags fill the
// second one. It is for one command.
type Env struct {
	In             io.Reader                                      // standard input
	Out, Messages  io.Writer                                      // data, and everything else
	RestoreSignals func()                                         // gives the next signal back to the system: it ends the process
	Lookup         func(variable string) (value string, set bool) // finds an environment variable
	Version        string                                         // of the program

	Server        string            // URL
	Output        string            // table, json or jsonl
	Yes           bool              // do not ask before what cannot be undone
	tokenFile, ca string            // files
	acted         bool              // the command line was understood and a command has begun
	report        func(line string) // says the error of a command in place of plain text
}

// Say writes a message for people.
func (c *Env) Say(format string, args ...any) {
	_, _ = fmt.Fprintf(c.Messages, format+"\n", args...) // nobody could be told
}
