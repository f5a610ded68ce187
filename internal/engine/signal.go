package engine

// signal wakes the reader of a channel of capacity 1, without waiting.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
