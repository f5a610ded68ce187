package safehttp

import (
	"math"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/task"
)

// checkHost returns the host in the one spelling that it has: lower case, IP
// addresses in canonical form, IPv6 in brackets.
func checkHost(host string, bracketed bool) (string, error) {
	switch {
	case host == "":
		return "", invalid("the URL has no host", "write it like https://example.com/path")
	case strings.ContainsFunc(host, func(r rune) bool { return r == '%' || r >= utf8.RuneSelf }):
		return "", invalid("the host contains a percent sign", "zones and percent-encoding are not possible in hosts; write names in their xn-- form")
	case bracketed:
		return checkIPv6(host)
	case strings.HasSuffix(host, "."):
		return "", invalid("the host ends with a dot", "write it without the final dot")
	}
	host = strings.ToLower(host)
	if endsInNumber(host) {
		return checkIPv4(host)
	}
	return host, checkName(host)
}

func checkIPv6(host string) (string, error) {
	addr, err := netip.ParseAddr(host)
	switch {
	case err != nil || !addr.Is6():
		return "", invalid(task.Quote(host)+" is not an IPv6 address", "brackets are for IPv6 only")
	case addr.Is4In6():
		return "", invalid(task.Quote(host)+" is an IPv4 address inside an IPv6 address", "write "+addr.Unmap().String())
	}
	return "[" + addr.String() + "]", nil
}

// checkIPv4 accepts four decimal numbers without leading zeros.
func checkIPv4(host string) (string, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String(), nil
	}
	if addr, ok := parseLegacyIPv4(host); ok {
		return "", invalid(task.Quote(host)+" is another notation of the address "+addr.String(), "write "+addr.String())
	}
	return "", invalid(task.Quote(host)+" looks like an IPv4 address but is none", "write four numbers from 0 to 255 with dots between")
}

// endsInNumber reports whether programs may take the name for an IPv4 address:
// its last label is decimal, octal or hexadecimal (WHATWG URL standard, "ends in
// a number checker").
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// parseLegacyIPv4 reads the notations of inet_aton: one to four parts, each
// decimal, octal or hexadecimal, of which the last fills the rest.
func parseLegacyIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		number, ok := parseLegacyNumber(part)
		limit := uint64(math.MaxUint8)
		shift := 24 - 8*i
		if i == len(parts)-1 {
			limit, shift = 1<<(8*(5-len(parts)))-1, 0
		}
		if !ok || number > limit {
			return netip.Addr{}, false
		}
		sum |= number << shift
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func parseLegacyNumber(part string) (uint64, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(part, "0x"); ok {
		if hex == "" {
			return 0, true
		}
		part, base = hex, 16
	} else if len(part) > 1 && part[0] == '0' {
		part, base = part[1:], 8
	}
	number, err := strconv.ParseUint(part, base, 64)
	return number, err == nil
}

// checkName accepts DNS names in ASCII (RFC 1123), and underscores, which names
// inside container networks often have.
func checkName(host string) error {
	if len(host) > 253 {
		return invalid("the host name has "+strconv.Itoa(len(host))+" characters", "at most 253 are possible")
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return invalid("the host name "+task.Quote(host)+" has a part that is empty or longer than 63 characters", "write names as in DNS")
		}
		for i := 0; i < len(label); i++ {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return invalid("the host name "+task.Quote(host)+" contains "+strconv.QuoteRune(rune(c)),
					"names consist of letters, digits, hyphens and dots")
			}
		}
	}
	return nil
}
