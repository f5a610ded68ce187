//go:build !mutant

package sqlite

// mutant reports whether a planted defect is switched on: never, but in
// builds with the tag mutant, by which the fault suite is tested.
func mutant(string) bool { return false }

func mutantEarlyAnswer([]*operation) {}
