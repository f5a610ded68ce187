package policies

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// planFlags are the policy to plan and what it is planned for.
type planFlags struct {
	preset, file, kind, jitter, solve, plot string
	initial, max, step, timeout, ttl        time.Duration
	deadline, attemptTime                   time.Duration
	steps                                   []time.Duration
	multiplier, failRate, rate, utilization float64
	retries, rows                           int
	outer                                   []int
	unlimited, fit                          bool
	flags                                   *pflag.FlagSet
}

func (f *planFlags) add(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVar(&f.preset, "preset", "", "start from this preset; see outlast policy list")
	flags.StringVar(&f.file, "file", "", "start from a policy in a JSON file, - for standard input")
	flags.StringVar(&f.kind, "kind", "", "kind of back-off: exponential, fixed, linear, steps or fibonacci")
	flags.DurationVar(&f.initial, "initial", 0, "first interval")
	flags.Float64Var(&f.multiplier, "multiplier", 0, "growth factor of exponential, 1 to 100")
	flags.DurationVar(&f.max, "max", 0, "longest wait before jitter; 0 for no limit")
	flags.DurationVar(&f.step, "step", 0, "growth per retry of linear; default is the first interval")
	flags.DurationSliceVar(&f.steps, "steps", nil, "waits of steps, such as 1s,5s,10s")
	flags.IntVar(&f.retries, "retries", 0, "number of retries, which is attempts minus one")
	flags.BoolVar(&f.unlimited, "unlimited", false, "retry forever")
	flags.StringVar(&f.jitter, "jitter", "", "none, full, equal, decorrelated, 'proportional(0.2)', 'additive(0.1)', 'bounded(0.3,0.7)' or 'beta(0.3,0.7)'")
	flags.DurationVar(&f.timeout, "timeout", 0, "time limit for each attempt")
	flags.DurationVar(&f.ttl, "ttl", 0, "time limit for all attempts and waits together")
	flags.DurationVar(&f.deadline, "deadline", 0, "time that the caller has; the shorter of this and --ttl is the limit")
	flags.Float64Var(&f.failRate, "fail-rate", 0, "share of attempts that fail; default 0.5")
	flags.DurationVar(&f.attemptTime, "attempt-time", 0, "usual duration of an attempt")
	flags.Float64Var(&f.rate, "rate", 0, "first attempts per second, to compute the attempts in flight")
	flags.Float64Var(&f.utilization, "utilization", 0, "share of the target's capacity that first attempts use")
	flags.IntSliceVar(&f.outer, "outer", nil, "attempts of the layers above that also retry, such as 3,4")
	flags.IntVar(&f.rows, "rows", 0, "number of retries to list; default 100")
	flags.StringVar(&f.solve, "solve", "", "find the largest value of initial, multiplier or retries that fits the limit")
	flags.BoolVar(&f.fit, "fit", false, "list the presets that fit the limit")
	flags.StringVar(&f.plot, "plot", "", "write a chart to this SVG file, or - to standard output instead of the table")
}

// ofPolicy are the flags that say something about the policy itself.
var ofPolicy = []string{"preset", "file", "kind", "initial", "multiplier", "max", "step", "steps", "retries", "unlimited", "jitter", "timeout"}

// namesPolicy reports whether a policy was given.
func (f *planFlags) namesPolicy() bool {
	for _, name := range ofPolicy {
		if f.flags.Changed(name) {
			return true
		}
	}
	return false
}

// request is what the flags ask for.
func (f *planFlags) request(c *cli.Env) (*client.PlanRequest, error) {
	if err := f.written(); err != nil {
		return nil, err
	}
	policy, err := f.policy(c)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(policy)
	if err != nil {
		return nil, err
	}
	request := &client.PlanRequest{}
	if err := json.Unmarshal(text, request); err != nil {
		return nil, cli.Usagef("--file: %v", err)
	}
	request.Deadline, request.AttemptTime = client.Duration(f.deadline), client.Duration(f.attemptTime)
	request.FailRate, request.Rate, request.Utilization = f.failRate, f.rate, f.utilization
	request.OuterAttempts, request.Rows, request.Solve, request.Fit = f.outer, f.rows, f.solve, f.fit
	return request, nil
}

// written refuses a zero that was written out where it would read as absent.
func (f *planFlags) written() error {
	for _, name := range []string{"deadline", "fail-rate", "attempt-time", "rate", "utilization", "rows", "solve", "plot", "file", "preset"} {
		flag := f.flags.Lookup(name)
		if text := flag.Value.String(); flag.Changed && (text == "" || text == "0" || text == "0s") {
			return cli.Usagef("--%s must be more than %s; leave it out for the default", name, map[bool]string{true: "nothing", false: "0"}[text == ""])
		}
	}
	if f.flags.Changed("retries") && (f.retries < 0 || f.retries > 999_999) {
		return cli.Usagef("--retries: %d is outside 0 to 999999", f.retries)
	}
	if f.flags.Changed("file") && f.flags.Changed("preset") {
		return cli.Usagef("give --file or --preset, not both; the file may have its own \"preset\"")
	}
	return nil
}

// policy is the policy of file or preset with what the flags change.
func (f *planFlags) policy(c *cli.Env) (map[string]any, error) {
	policy := map[string]any{}
	if f.file != "" {
		data, err := c.ReadFile(f.file)
		if err != nil {
			return nil, err
		}
		if _, err := retry.ParseSpec(data); err != nil { // strict, where Unmarshal is not
			return nil, badPolicy(err)
		}
		if err := json.Unmarshal(data, &policy); err != nil {
			return nil, err
		}
	}
	f.set(policy, "preset", "preset", f.preset)
	f.set(policy, "timeout", "timeout", f.timeout.String())
	f.set(policy, "ttl", "ttl", f.ttl.String())
	if f.flags.Changed("retries") {
		policy["max_attempts"] = f.retries + 1
		delete(policy, "unlimited")
	}
	f.set(policy, "unlimited", "unlimited", f.unlimited)
	if err := f.backoff(policy); err != nil {
		return nil, err
	}
	return policy, nil
}

// set changes a key when its flag was given.
func (f *planFlags) set(object map[string]any, flag, key string, value any) {
	if f.flags.Changed(flag) {
		object[key] = value
	}
}

func (f *planFlags) backoff(policy map[string]any) error {
	backoff, _ := policy["backoff"].(map[string]any)
	if backoff == nil {
		backoff = map[string]any{}
	}
	f.set(backoff, "kind", "kind", f.kind)
	f.set(backoff, "initial", "initial", f.initial.String())
	f.set(backoff, "multiplier", "multiplier", f.multiplier)
	f.set(backoff, "max", "max", f.max.String())
	f.set(backoff, "step", "step", f.step.String())
	steps := make([]string, len(f.steps))
	for i, d := range f.steps {
		steps[i] = d.String()
	}
	f.set(backoff, "steps", "steps", steps)
	if f.flags.Changed("steps") && backoff["kind"] == nil {
		backoff["kind"] = "steps"
	}
	if f.flags.Changed("jitter") {
		jitter, err := parseJitter(f.jitter)
		if err != nil {
			return err
		}
		backoff["jitter"] = jitter
	}
	if len(backoff) > 0 {
		policy["backoff"] = backoff
	}
	return nil
}

// parseJitter reads "full", "additive(0.1)", "beta(0.3,0.7)".
func parseJitter(text string) (any, error) {
	name, arguments, found := strings.Cut(text, "(")
	if !found {
		return text, nil
	}
	wrong := cli.Usagef("--jitter: %s is not of the form NAME, NAME(X) or NAME(FROM,TO), such as 'additive(0.1)'", task.Quote(text))
	arguments, closed := strings.CutSuffix(arguments, ")")
	if !closed {
		return nil, wrong
	}
	var numbers []float64
	for _, part := range strings.Split(arguments, ",") {
		number, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || number-number != 0 { // not finite
			return nil, wrong
		}
		numbers = append(numbers, number)
	}
	switch len(numbers) {
	case 1:
		return map[string]any{"kind": name, "x": numbers[0]}, nil
	case 2:
		return map[string]any{"kind": name, "from": numbers[0], "to": numbers[1]}, nil
	}
	return nil, wrong
}

// badPolicy names what is wrong with a policy in the form of the command line.
func badPolicy(err error) error {
	var all []string
	for _, wrong := range retry.FieldErrors(err) {
		all = append(all, wrong.Error())
	}
	return cli.Usagef("the policy in --file: %s", strings.Join(all, "; "))
}
