package safehttp

import "net/netip"

// special is a range that a request never reaches unless it is allowed.
type special struct {
	prefix netip.Prefix
	what   string
}

// specials4 are the blocks of the IANA IPv4 Special-Purpose Address Registry
// (RFC 6890 and successors) that are not plain public unicast, and the address
// under which Azure offers platform services to its virtual machines.
var specials4 = specialTable(
	"0.0.0.0/8", "unspecified",
	"10.0.0.0/8", "private",
	"100.64.0.0/10", "carrier-grade NAT",
	"127.0.0.0/8", "loopback",
	"168.63.129.16/32", "cloud platform",
	"169.254.0.0/16", "link-local",
	"172.16.0.0/12", "private",
	"192.0.0.0/24", "protocol assignment",
	"192.0.2.0/24", "documentation",
	"192.31.196.0/24", "AS112",
	"192.52.193.0/24", "AMT relay",
	"192.88.99.0/24", "6to4 relay",
	"192.168.0.0/16", "private",
	"192.175.48.0/24", "AS112",
	"198.18.0.0/15", "benchmarking",
	"198.51.100.0/24", "documentation",
	"203.0.113.0/24", "documentation",
	"224.0.0.0/4", "multicast",
	"240.0.0.0/4", "reserved",
)

// specials6 are the blocks of the IANA IPv6 Special-Purpose Address Registry.
// Whatever lies outside 2000::/3 is refused as well, since only that part is
// assigned as global unicast; the entries outside of it are here for their name.
var specials6 = specialTable(
	"::/128", "unspecified",
	"::1/128", "loopback",
	"::/96", "IPv4-compatible",
	"::ffff:0:0:0/96", "IPv4-translated",
	"64:ff9b::/96", "NAT64",
	"64:ff9b:1::/48", "local NAT64",
	"100::/64", "discard",
	"2001::/32", "Teredo",
	"2001::/23", "protocol assignment",
	"2001:db8::/32", "documentation",
	"2002::/16", "6to4",
	"2620:4f:8000::/48", "AS112",
	"3fff::/20", "documentation",
	"fc00::/7", "unique-local",
	"fe80::/10", "link-local",
	"fec0::/10", "site-local",
	"ff00::/8", "multicast",
)

var globalUnicast6 = netip.MustParsePrefix("2000::/3")

// specialTable pairs prefixes with their names.
func specialTable(pairs ...string) []special {
	table := make([]special, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		table = append(table, special{netip.MustParsePrefix(pairs[i]), pairs[i+1]})
	}
	return table
}

// specialKind names the special range that holds the address, "" for an address
// that is open to everyone. The address must be unmapped and without a zone.
func specialKind(addr netip.Addr) string {
	table := specials4
	if addr.Is6() {
		table = specials6
	}
	for _, s := range table {
		if s.prefix.Contains(addr) {
			return s.what
		}
	}
	if addr.Is6() && !globalUnicast6.Contains(addr) {
		return "reserved"
	}
	return ""
}

// embedded returns the IPv4 address that packets to an IPv6 address of a
// translation or tunnel prefix may end up at. IPv4-mapped addresses are not
// among them: sockets treat those as the IPv4 address itself.
func embedded(addr netip.Addr, kind string) (netip.Addr, bool) {
	raw := addr.As16()
	switch kind {
	case "IPv4-compatible", "IPv4-translated", "NAT64": // RFC 4291, 7915, 6052: the last 32 bits
		return netip.AddrFrom4([4]byte(raw[12:16])), true
	case "6to4": // RFC 3056: the 32 bits after the prefix
		return netip.AddrFrom4([4]byte(raw[2:6])), true
	case "Teredo": // RFC 4380: the last 32 bits, inverted
		return netip.AddrFrom4([4]byte{^raw[12], ^raw[13], ^raw[14], ^raw[15]}), true
	}
	return netip.Addr{}, false
}
