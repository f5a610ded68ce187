package task

import (
	"encoding/binary"
	"encoding/hex"
	"unicode"
)

// longestSame is how much of a message tells failures apart, in bytes.
const longestSame = 512

// Fingerprint groups failures that are the same to a person: 16 hex digits
// over the task's type, the failure's category, class and code, and its
// message with every run of digits and every hexadecimal word of eight or
// more characters replaced, so that ids, ports and times do not split groups.
func Fingerprint(taskType string, f *Failure) string {
	var same [longestSame]byte
	sum := fnv(offset64)
	sum.add(taskType)
	sum.add(f.Category)
	sum.add(f.Type)
	sum.add(f.Code)
	for _, c := range normalise(same[:0], f.Message) {
		sum = (sum ^ fnv(c)) * prime64
	}
	sum = sum * prime64 // as after every part, for its end
	var text [16]byte
	hex.Encode(text[:], binary.BigEndian.AppendUint64(same[:0], uint64(sum)))
	return string(text[:])
}

// fnv is an FNV-1a hash of 64 bits. That of hash/fnv allocates.
type fnv uint64

const (
	offset64 fnv = 14695981039346656037
	prime64  fnv = 1099511628211
)

// add hashes a part and a zero byte for its end.
func (h *fnv) add(part string) {
	for i := range len(part) {
		*h = (*h ^ fnv(part[i])) * prime64
	}
	*h *= prime64
}

// normalise appends what is left of a message to out.
func normalise(out []byte, message string) []byte {
	if len(message) > longestSame {
		message = message[:longestSame]
	}
	for start := 0; start < len(message); {
		end, digits, hexOnly := start, false, true
		for end < len(message) && isWord(message[end]) {
			c := message[end]
			digits = digits || unicode.IsDigit(rune(c))
			hexOnly = hexOnly && (unicode.IsDigit(rune(c)) || c|0x20 >= 'a' && c|0x20 <= 'f')
			end++
		}
		switch {
		case end == start:
			out = append(out, message[start])
			end++
		case digits && (hexOnly || end-start >= 8):
			out = append(out, '#')
		default:
			out = appendWord(out, message[start:end])
		}
		start = end
	}
	return out
}

// appendWord copies a word with each run of digits replaced by one '#'.
func appendWord(out []byte, word string) []byte {
	for i := 0; i < len(word); i++ {
		if unicode.IsDigit(rune(word[i])) {
			if i == 0 || !unicode.IsDigit(rune(word[i-1])) {
				out = append(out, '#')
			}
			continue
		}
		out = append(out, word[i])
	}
	return out
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
