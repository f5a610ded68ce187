package safehttp

import (
	"net/netip"

	"github.com/outlast-dev/outlast/task"
)

// ParseAllow reads the values of --allow-target: prefixes such as "10.0.0.0/8"
// or single addresses. A prefix must not have bits set behind its length, so
// that a slip does not open more than it seems to. The error is an
// [*InvalidError].
func ParseAllow(texts []string) ([]netip.Prefix, error) {
	prefixes := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		prefix, err := parseAllowed(text)
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}

func parseAllowed(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return prefix, invalid(task.Quote(text)+" is not a range of addresses", "write it like 10.0.0.0/8 or fd00::/8")
	}
	if prefix.Masked() != prefix {
		return prefix, invalid(task.Quote(text)+" has bits set behind its length",
			"write "+prefix.Masked().String()+" for the range or "+prefix.Addr().String()+" for the one address")
	}
	return prefix, nil
}
