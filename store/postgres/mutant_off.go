//go:build !mutant

package postgres

// planted returns a statement with a defect in it: never, but in builds with the
// tag mutant, by which the suites are tested.
func planted(text string) string { return text }
