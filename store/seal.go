package store

// SealMark begins payloads and results that a wrapper has encrypted; the version
// of their form follows it, a byte. No JSON text begins so.
const SealMark = "\x00sealed"

// SealRoom is by how many bytes an encrypted payload or result may be longer
// than the limit of plain ones.
const SealRoom = 128

// IsSealed reports whether a payload or result is encrypted: in any form, also in
// one that this release does not know.
func IsSealed(text []byte) bool {
	return len(text) >= len(SealMark) && string(text[:len(SealMark)]) == SealMark
}

// Fits reports whether a payload or result is within the limit of plain ones.
func Fits(text []byte, limit int) bool {
	return len(text) <= limit || IsSealed(text) && len(text) <= limit+SealRoom
}
