package store

// As finds an optional interface, such as [Notifier], of a store or of what
// the store wraps. A wrapper says which interfaces of the store below it do
// without the wrapper, in a method
//
//	Through(target any) bool
//
// that sets what target points to and reports whether it did. What such a
// method does not name stays hidden, so that an interface that is new cannot
// go round a wrapper that has to see everything.
func As[T any](s any) (T, bool) {
	if found, ok := s.(T); ok {
		return found, true
	}
	var found T
	wrapper, ok := s.(interface{ Through(target any) bool })
	return found, ok && wrapper.Through(&found)
}
