package retry

// didYouMean returns a hint with the known name nearest to a misspelled one, or
// "" when none is near: at most two edits away and fewer than half its letters.
func didYouMean(name string, known []string) string {
	best, distance := "", 3
	for _, candidate := range known {
		if d := edits(name, candidate); d < distance && 2*d < len(candidate) {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// edits is the Levenshtein distance in bytes, at least 3 for names whose lengths
// differ by more than two.
func edits(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
