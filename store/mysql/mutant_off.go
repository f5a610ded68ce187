//go:build !mutant

package mysql

import "context"

// mutant reports whether a planted defect is switched on: never, but in
// builds with the tag mutant, by which the suites are tested.
func mutant(string) bool { return false }

// mutantUnlocked takes the locks out of a statement.
func mutantUnlocked(_, query string) string { return query }

func (*Store) mutantEarly(context.Context, string, func(*tx) error) (early bool, err error) {
	return false, nil
}
