package hints

import "testing"

func TestText(t *testing.T) {
	var l List
	for _, step := range []struct{ path, add, want string }{
		{"c", "", ""},
		{"a", "did you mean b?", "did you mean b?"},
		{"a2", "did you mean b?", "did you mean b?"},
		{"a2", "did you mean b?", "did you mean b?"},
		{"t", "write 0s or more", "a, a2: did you mean b?; t: write 0s or more"},
	} {
		if l.Add(step.path, step.add); l.Text() != step.want {
			t.Errorf("after %q for %s: %q, want %q", step.add, step.path, l.Text(), step.want)
		}
	}
	var whole List
	whole.Add("", "x: as it is")
	if whole.Merge(&l); whole.Text() != "x: as it is; "+l.Text() {
		t.Errorf("merged: %q", whole.Text())
	}
}

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"key", "key", 0}, {"key", "kye", 2}, {"sslmod", "sslmode", 1}, {"queue", "quue", 1},
		{"a", "b", 1}, {"ab", "cd", 2}, {"abc", "xyz", 3}, {"", "abcd", 3}, {"abcd", "", 3}, {"kitten", "sitting", 3},
	} {
		if got := Edits(test.a, test.b, 3); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
