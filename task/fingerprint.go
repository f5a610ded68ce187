package task

import (
	"encoding/hex"
	"hash/fnv"
	"unicode"
)

// Fingerprint groups failures that are the same to a person: 16 hex digits
// over the task's type, the failure's category, class and code, and its
// message with every run of digits and every hexadecimal word of eight or
// more characters replaced, so that ids, ports and times do not split groups.
func Fingerprint(taskType string, f *Failure) string {
	sum := fnv.New64a()
	for _, part := range [...]string{taskType, f.Category, f.Type, f.Code, normalise(f.Message)} {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func normalise(message string) string {
	if len(message) > 512 {
		message = message[:512]
	}
	out := make([]byte, 0, len(message))
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
	return string(out)
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
