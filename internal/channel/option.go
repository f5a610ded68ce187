package channel

import (
	"log/slog"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Options are what channels are made with.
type Options struct {
	// HTTP makes the requests and dials the mail servers. Required.
	HTTP *safehttp.Client
	// Trusted says that the specification stands in the configuration of this process,
	// which may name any variable and file. One from elsewhere, such as a row of the
	// database, may name variables OUTLAST_SECRET_… only, for the hosts that they are for.
	Trusted bool
	// Lookup finds environment variables; [os.LookupEnv] when nil.
	Lookup func(name string) (string, bool)
	// ReadFile reads files of secrets; [os.ReadFile] when nil.
	ReadFile func(name string) ([]byte, error)
	// Logger is that of the channel kind log; discarded when nil.
	Logger *slog.Logger
	// Now is the clock of signatures; [time.Now] when nil.
	Now func() time.Time
}

// maxSecret is the length of what a variable or file may hold, in bytes.
const maxSecret = 4 << 10

// secret reads what a variable or file holds, "" if neither is named.
func (o *Options) secret(what, variable, file string) (string, error) {
	switch {
	case variable != "":
		value, set := o.Lookup(variable)
		if value = strings.TrimSpace(value); !set || value == "" {
			return "", &retry.FieldError{Field: what + "_env", Message: "the environment variable " + task.Quote(variable) + " is not set", Hint: "set it for the server and start that again"}
		}
		return checked(what+"_env", value)
	case file != "":
		data, err := o.ReadFile(file)
		value := strings.TrimSpace(string(data))
		if err != nil || value == "" {
			return "", &retry.FieldError{Field: what + "_file", Message: "the file " + task.Quote(file) + " is empty or cannot be read"}
		}
		return checked(what+"_file", value)
	}
	return "", nil
}

func checked(field, value string) (string, error) {
	if len(value) > maxSecret || strings.ContainsAny(value, "\r\n\x00") {
		return "", &retry.FieldError{Field: field, Message: "holds several lines, or more than 4096 bytes"}
	}
	return value, nil
}
