package dead

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lookedAt is how many letters are looked at to learn whether their cause is mended.
	lookedAt = 20
	// mostOpen bounds the targets that a redrive is warned of.
	mostOpen = 10
)

// Present is what a node knows of how things are now, beside the letters.
type Present struct {
	Nodes   []store.Node
	Targets []*inspect.TargetView
	// Policy is the policy that holds for a task, and its version.
	Policy func(t *task.Task) (name string, version int64)
}

func (p *Present) target(name string) *inspect.TargetView {
	for _, view := range p.Targets {
		if view.Name == name {
			return view
		}
	}
	return nil
}

// OpenTargets warns of targets whose breaker is open, those of the most letters first.
func (p *Present) OpenTargets(letters []store.DeadPart) (warnings []inspect.RedriveWarning) {
	counts, of := map[string]int{}, 0
	for i := range letters {
		counts[letters[i].Target] += letters[i].Count
		of += letters[i].Count
	}
	for _, view := range p.Targets {
		if n := counts[view.Name]; n > 0 && view.Breaker.State == "open" {
			warnings = append(warnings, inspect.RedriveWarning{Code: inspect.WarnBreakerOpen, Letters: n, Of: of, Target: view.Name})
		}
	}
	slices.SortFunc(warnings, func(a, b inspect.RedriveWarning) int {
		return cmp.Or(cmp.Compare(b.Letters, a.Letters), cmp.Compare(a.Target, b.Target))
	})
	return warnings[:min(len(warnings), mostOpen)]
}

// Causes warns of letters whose cause seems to be what it was. It looks at the newest that
// match.
func (p *Present) Causes(ctx context.Context, backend store.Backend, filter store.Filter) (warnings []inspect.RedriveWarning, err error) {
	letters, _, err := backend.Find(ctx, Letters(filter), store.Page{Limit: lookedAt})
	if err != nil {
		return nil, err
	}
	again, permanent := 0, 0
	for _, letter := range letters {
		if letter.Spec.RedrivenAt.IsZero() && letter.DeadReason != task.Permanent {
			continue
		}
		attempts, err := backend.Attempts(ctx, letter.ID)
		if isCode(err, task.CodeNotFound) {
			continue // it went away meanwhile
		}
		if err != nil {
			return nil, err
		}
		if diedAgain(letter, attempts) {
			again++
		}
		if letter.DeadReason == task.Permanent && !p.changedSince(letter, attempts) {
			permanent++
		}
	}
	if again > 0 {
		warnings = append(warnings, inspect.RedriveWarning{Code: inspect.WarnDiedAgain, Letters: again, Of: len(letters)})
	}
	if permanent > 0 {
		warnings = append(warnings, inspect.RedriveWarning{Code: inspect.WarnPermanent, Letters: permanent, Of: len(letters)})
	}
	return warnings, nil
}

// diedAgain reports whether a letter that was redriven has died of what it had died of before.
func diedAgain(letter *task.Task, attempts []task.Attempt) bool {
	for _, a := range slices.Backward(attempts) {
		if a.Claim <= letter.Spec.Undone && a.Failure != nil {
			return letter.LastError != nil && a.Failure.Fingerprint == letter.LastError.Fingerprint
		}
	}
	return false
}

// changedSince reports whether anything that could mend a letter is known to have changed
// since it died: its target, its policy, or the release of the nodes.
func (p *Present) changedSince(letter *task.Task, attempts []task.Attempt) bool {
	if p.targetChanged(letter.Target, letter.FinishedAt) {
		return true
	}
	if len(attempts) == 0 {
		return false
	}
	last := attempts[len(attempts)-1]
	if name, version := p.Policy(letter); version != last.PolicyVersion || version > 0 && name != last.Policy {
		return true
	}
	return !task.Leased(last.Node) && slices.ContainsFunc(p.Nodes, func(n store.Node) bool { // of workers' releases it knows the past only
		return n.State == store.NodeAlive && !n.Gone && n.Release != last.Release && n.StartedAt.After(letter.FinishedAt)
	})
}

// targetChanged reports whether a target lets calls through, and its breaker has moved or an
// operator has spoken of it.
func (p *Present) targetChanged(name string, since time.Time) bool {
	view := p.target(name)
	return view != nil && view.Breaker.State != "open" && (view.Breaker.Since.After(since) || view.Order != nil && view.Order.At.After(since))
}
