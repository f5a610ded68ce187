package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/task"
)

// ZeroFlag is a flag whose zero would read as absent.
type ZeroFlag struct {
	Name string // of the flag
	Path string // of what it sets
	Zero string // as it is written: 0s, or nothing
	Hint string // what to do instead
}

// RefuseZeros refuses the first zero that was written out.
func RefuseZeros(flags *pflag.FlagSet, all []ZeroFlag) error {
	for _, flag := range all {
		if !flags.Changed(flag.Name) || flags.Lookup(flag.Name).Value.String() != flag.Zero {
			continue
		}
		if flag.Zero == "" {
			return task.Invalid(flag.Path, "is empty", flag.Hint)
		}
		return task.Invalid(flag.Path, "must be more than 0", flag.Hint)
	}
	return nil
}

// FileAlone refuses flags of a command beside --file, which has it all, but for some.
func FileAlone(cmd *cobra.Command, but ...string) (err error) {
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && flag.Name != "file" && !slices.Contains(but, flag.Name) {
			err = Usagef("--%s cannot be combined with --file; write it into the file", flag.Name)
		}
	})
	return err
}

// Pairs reads the texts of a flag, each a name and a value around a separator; nil
// without any.
func Pairs(flag, separator string, texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(texts))
	for _, text := range texts {
		name, value, found := strings.Cut(text, separator)
		if !found {
			return nil, Usagef("--%s: %s does not have the form NAME%sVALUE", flag, task.Quote(text), separator)
		}
		if separator == ":" {
			value = strings.TrimSpace(value)
		}
		if _, twice := out[name]; twice {
			return nil, Usagef("--%s: %s is given twice", flag, task.Quote(name))
		}
		out[name] = value
	}
	return out, nil
}

// ReadJSON takes JSON from a flag, or from where the flag says it is.
func (c *Env) ReadJSON(flag, text string) (json.RawMessage, error) {
	return c.ReadJSONArgument("--"+flag, text)
}

// ReadJSONArgument is ReadJSON for what is no flag.
func (c *Env) ReadJSONArgument(name, text string) (json.RawMessage, error) {
	var data []byte
	var err error
	switch {
	case text == "":
		return nil, nil
	case text == "-":
		data, err = readAtMost(c.In)
	case text[0] == '@':
		data, err = c.ReadFile(text[1:])
	default:
		data = []byte(text)
	}
	if err != nil {
		return nil, err
	}
	data = bytes.TrimSpace(data)
	if !json.Valid(data) {
		return nil, Usagef("%s is not JSON; write a string as '\"text\"'", name)
	}
	return data, nil
}

// maxInput bounds what is read from a file or from standard input.
const maxInput = 256 << 20

// ReadFile reads a file that was named on the command line, - for standard input.
func (c *Env) ReadFile(name string) ([]byte, error) {
	if name == "-" {
		return readAtMost(c.In)
	}
	file, err := os.Open(name) //nolint:gosec // the file that the user names
	if err != nil {
		return nil, Usagef("%v", err)
	}
	defer file.Close() //nolint:errcheck // only read
	return readAtMost(file)
}

func readAtMost(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		return nil, Usagef("the input is larger than %d MiB", maxInput>>20)
	}
	return data, err
}
