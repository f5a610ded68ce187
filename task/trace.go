package task

// TraceID is the trace id inside a W3C trace parent, "" if there is none.
func TraceID(parent string) string {
	if len(parent) < 35 {
		return ""
	}
	return parent[3:35]
}
