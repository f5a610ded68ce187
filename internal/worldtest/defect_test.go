package worldtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/outlast-dev/outlast/internal/planttest"
	"github.com/outlast-dev/outlast/internal/racetest"
)

// defect is a small change of the engine or of what it stands on.
type defect struct {
	name    string
	folder  string
	pattern string // what it stands for, at one place of the package
	is      string
}

const (
	inEngine     = "../engine"
	inAgenda     = "../agenda"
	inMembership = "../membership"
	inTopology   = "../topology"
	inSteps      = "../steps"
	inGroups     = "../taskgroups"
	inStore      = "../../store/memory"
	inSignals    = "../../store/internal/signals"
)

var defects = []defect{
	{
		"a node that is lost lets its attempts go on", inEngine,
		`(\w+)\.ctx\.cancel\(ErrLost\)\n`, "if !mutant(NAME) {\n${0}}\n",
	},
	{
		"the reconciler skips rows of its own", inEngine,
		`\.unknownRuns\[t\.ID\] == t\.Claim`, `${0} && !mutant(NAME)`,
	},
	{
		"the reconciler takes rows that run", inEngine,
		`\(known\.Run != nil \|\| known\.Claimed\(\)\)`, `!mutant(NAME) && ${0}`,
	},
	{
		"an attempt ends twice", inEngine,
		`!(\w+)\.settled\.Swap\(true\)`, `(${0} || mutant(NAME))`,
	},
	{
		"an end that came too late keeps its place", inEngine,
		`[\w.]+\.runs--`, "if result.Status != store.StatusStale || !mutant(NAME) {\n${0}\n}",
	},
	{
		"nodes are held for dead too soon", inMembership,
		`s\.reads >= deadReads && now\.Sub\(s\.since\) >= deadAfter`, `${0} || mutant(NAME) && s.reads >= 2`,
	},
	{
		"a node that was lost stays lost", inMembership,
		`if ([\w.]+\.lost\.Swap\(false\))`, `if !mutant(NAME) && ${1}`,
	},
	{
		"a node leaves without a word", inMembership,
		`err := ([\w.]+\.Store\.Leave\(\w+, [\w.()]+\))`, "var err error\nif !mutant(NAME) {\nerr = ${1}\n}",
	},
	{
		"a beat's cancels are not heard", inEngine,
		`range ids \{`, "${0}\nif mutant(NAME) {\nbreak\n}",
	},
	{
		"an enqueue without an answer is given up", inEngine,
		`!anyWaits\(calls\)`, `mutant(NAME) || ${0}`,
	},
	{
		"an enqueue without an answer is believed", inEngine,
		`if !closed && errors\.As\(err, &refused\)`, "if mutant(NAME) {\nreturn make([]store.BatchResult, len(batches)), nil\n}\n${0}",
	},
	{
		"a settle without an answer is believed", inEngine,
		`results, err := [\w.]+\.Store\.Settle\(ctx, settlements\)\n\t\tcancel\(\)`, "${0}\nif mutant(NAME) && err != nil {\nreturn make([]store.Settled, len(settlements)), true\n}",
	},
	{
		"a limit is not divided among nodes", inTopology,
		`share := q\.Concurrency / len\(nodes\)`, "${0}\nif mutant(NAME) {\nshare = q.Concurrency\n}",
	},
	{
		"a pause is not heard", inEngine,
		`Paused: row\.Paused`, `${0} && !mutant(NAME)`,
	},
	{
		"a park mark is never cleared", inEngine,
		`clears\[i\]\.ID = page\[i\]\.ID`, "${0}\nif mutant(NAME) {\nclears[i].Mark = page[i].Park\n}",
	},
	{
		"a refused claim keeps its place", inAgenda,
		`\) NotStarted\(e \*Entry\) \{`, "${0}\nif mutant(NAME) {\nreturn\n}",
	},
	{
		"a queue's limit is not asked", inAgenda,
		`q\.running >= q\.Limit`, `${0} && !mutant(NAME)`,
	},
	{
		"the next of a key does not step forward", inAgenda,
		`s\.head = nil; s\.behind\.Len\(\) > 0`, `${0} && !mutant(NAME)`,
	},
	{
		"a step is done again", inSteps,
		`found, err := [\w.]+\.read\(ctx, t\.ID\)`, "${0}\nif mutant(NAME) {\nfound = nil\n}",
	},
	{
		"a step is done before it is on disk", inSteps,
		`w := a\.by\.add\(&step\)`, "${0}\nif mutant(NAME) {\nlog.Wrote(&step, true)\nreturn &step, nil\n}",
	},
	{
		"a step under a claim that was lost is done", inSteps,
		`w\.status != store\.StatusOK`, `${0} && !mutant(NAME)`,
	},
	{
		"a step without an answer is believed", inSteps,
		`statuses, err = [\w.]+\.Store\.AddSteps\(ctx, \w+\)`, "${0}\nif mutant(NAME) && err != nil {\nstatuses, err = make([]store.Status, len(batch)), nil\nfor i := range statuses {\nstatuses[i] = store.StatusOK\n}\n}",
	},
	{
		"a step is stored under a claim that was lost", inStore,
		`(r\.State != task\.Running \|\|) (r\.Claim != step\.Claim)`, `${1} !mutant(NAME) && ${2}`,
	},
	{
		"a death undoes nothing", inSteps,
		`\w+\.undo\(of\[.*\n`, "if !mutant(NAME) {\n${0}}\n",
	},
	{
		"steps are undone in their order", inSteps,
		`cmp\.Compare\(b\.Seq, a\.Seq\)`, `map[bool]int{false: 1, true: -1}[mutant(NAME)] * ${0}`,
	},
	{
		"steps are done again before they are undone", inSteps,
		`by\.State != task\.Succeeded`, `!mutant(NAME) && ${0}`,
	},
	{
		"a signal is lost between the look and the settlement", inStore,
		`signals\.Ready\(`, `!mutant(NAME) && ${0}`,
	},
	{
		"a signal wakes nobody", inSignals,
		`done\.Woken = t\.State == task\.Pending`, `${0} && !mutant(NAME)`,
	},
	{
		"a timeout takes the place of a signal", inSignals,
		`stands := endOf\(t, all, given\.Name\); stands != nil`, `${0} && !(mutant(NAME) && given.Type == task.StepTimeout)`,
	},
	{
		"a wait is over without a word to the store", inSteps,
		`end, err = a\.by\.timeOut\(.*\)`, "if mutant(NAME) {\nend = &task.Step{Name: wait.Name, Type: task.StepTimeout}\n} else {\n${0}\n}",
	},
	{
		"an end of a member is not counted", inStore,
		`counts\.Ended\(t, t\.State\)`, "if !mutant(NAME) {\n${0}\n}",
	},
	{
		"a member that is sent back is not waited for", inStore,
		`counts\.Revived\(t\.Spec\.Group, t\.ID\)`, "if !mutant(NAME) {\n${0}\n}",
	},
	{
		"a group that has called back calls again", inStore,
		`group\.State, group\.DoneAt, group\.CallbackTask = `, "if mutant(NAME) {\nreturn cloneGroup(group), nil\n}\n${0}",
	},
	{
		"a group whose node has died is not looked at", inGroups,
		`if k\.config\.Node\.Topology\(\)\.First\(.*\)\)`, "${0} && !mutant(NAME)",
	},
}

var (
	nameOf = regexp.MustCompile(`NAME`)
	failed = regexp.MustCompile(`--- FAIL: TestWorlds/(\d+)`)
	began  = regexp.MustCompile(`=== RUN   TestWorlds/(\d+)`)
	wrong  = regexp.MustCompile(`(?m)(?:world_test\.go:\d+: |invariants\.go:\d+: |^)(.*(?:: (?:t|n|late|rush|held|long|group)\d|tasks have not|lost: |no order).*|panic: .*|I\d+: .*)`)
)

// mutants builds this package's tests with all defects.
func mutants(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "mutants")
	var overlays []string
	for _, folder := range []string{inEngine, inAgenda, inMembership, inTopology, inSteps, inGroups, inStore, inSignals} {
		var planted []planttest.Defect
		for _, d := range defects {
			if d.folder == folder {
				planted = append(planted, planttest.Place(t, folder, d.pattern, nameOf.ReplaceAllLiteralString(d.is, strconv.Quote(d.name))))
			}
		}
		overlays = append(overlays, planttest.Overlay(t, folder, planted, nil, ""))
	}
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", planttest.Merge(t, overlays...), "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// show lets worlds live with a defect, until one shows it. It returns its seed.
func show(t *testing.T, binary, name, from, seeds string) (seed string, out []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^TestWorlds$", "-test.v", "-test.failfast", "-test.timeout", "5m")
	cmd.Env = append(os.Environ(), planttest.Switch+"="+name, "OUTLAST_WORLDS="+seeds, "OUTLAST_WORLD="+from)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return "", out
	}
	if found := failed.FindSubmatch(out); found != nil {
		return string(found[1]), out
	}
	if all := began.FindAllSubmatch(out, -1); len(all) > 0 {
		return string(all[len(all)-1][1]), out // it ended the process
	}
	t.Fatalf("%v\n%s", err, out)
	return "", nil
}

// A world is only believed if it finds defects: each of these, by some seed.
func TestPlantedDefects(t *testing.T) {
	racetest.WithoutDetector(t)
	binary := mutants(t)
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			seed, out := show(t, binary, d.name, "", "2000") // one of a few, for most
			if seed == "" {
				t.Fatal("it was planted, and no world has shown it")
			}
			told := wrong.FindSubmatch(out)
			if told == nil {
				t.Fatalf("seed %s\n%s", seed, out)
			}
			t.Logf("found by seed %s: %s", seed, told[1])
			if times := number(t, "OUTLAST_WORLD_AGAIN", 0); times > 0 {
				again := 0
				for range times {
					if same, _ := show(t, binary, d.name, seed, "1"); same == seed {
						again++
					}
				}
				t.Logf("played %d times, that seed finds it %d times", times, again)
			}
		})
	}
}
