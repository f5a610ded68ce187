package classify

import "syscall"

// errnoEntry is a row of the errno table.
type errnoEntry struct {
	errno    syscall.Errno
	name     string
	category Category
	effect   Effect
}

// errnos is the errno table. Under a failed dial, [search.operation] makes
// everything but permanent and local errors [Unsent]. The last rows are the
// numbers of Windows sockets, which no other system uses.
var errnos = []errnoEntry{
	{syscall.ECONNREFUSED, "ECONNREFUSED", Unsent, NotSent},
	{syscall.ENETUNREACH, "ENETUNREACH", Unsent, NotSent},
	{syscall.EHOSTUNREACH, "EHOSTUNREACH", Unsent, NotSent},
	{syscall.ENETDOWN, "ENETDOWN", Unsent, NotSent},
	{syscall.EHOSTDOWN, "EHOSTDOWN", Unsent, NotSent},
	{syscall.ENOENT, "ENOENT", Unsent, NotSent},
	{syscall.EINTR, "EINTR", Unsent, NotSent},
	{syscall.ETIMEDOUT, "ETIMEDOUT", Timeout, Maybe},
	{syscall.ECONNRESET, "ECONNRESET", Network, Maybe},
	{syscall.ECONNABORTED, "ECONNABORTED", Network, Maybe},
	{syscall.EPIPE, "EPIPE", Network, Maybe},
	{syscall.ENETRESET, "ENETRESET", Network, Maybe},
	{syscall.ENOTCONN, "ENOTCONN", Network, Maybe},
	{syscall.EAGAIN, "EAGAIN", Conflict, NotSent},
	{syscall.EWOULDBLOCK, "EWOULDBLOCK", Conflict, NotSent},
	{syscall.EBUSY, "EBUSY", Conflict, NotSent},
	{syscall.ETXTBSY, "ETXTBSY", Conflict, NotSent},
	{syscall.EDEADLK, "EDEADLK", Conflict, NotSent},
	{syscall.ESTALE, "ESTALE", Conflict, NotSent},
	{syscall.EMFILE, "EMFILE", Local, NotSent},
	{syscall.ENFILE, "ENFILE", Local, NotSent},
	{syscall.ENOBUFS, "ENOBUFS", Local, NotSent},
	{syscall.ENOMEM, "ENOMEM", Local, NotSent},
	{syscall.EADDRNOTAVAIL, "EADDRNOTAVAIL", Local, NotSent},
	{syscall.EADDRINUSE, "EADDRINUSE", Local, NotSent},
	{syscall.ENOSPC, "ENOSPC", Local, Maybe},
	{syscall.EDQUOT, "EDQUOT", Local, Maybe},
	{syscall.EROFS, "EROFS", Permanent, Maybe},
	{syscall.EIO, "EIO", Permanent, Maybe},
	{syscall.EACCES, "EACCES", Permanent, NotSent},
	{syscall.EPERM, "EPERM", Permanent, NotSent},
	{syscall.EINVAL, "EINVAL", Permanent, NotSent},
	{syscall.EAFNOSUPPORT, "EAFNOSUPPORT", Permanent, NotSent},
	{syscall.EPROTONOSUPPORT, "EPROTONOSUPPORT", Permanent, NotSent},
	{syscall.EMSGSIZE, "EMSGSIZE", Permanent, NotSent},
	{syscall.ENOTSUP, "ENOTSUP", Permanent, NotSent},
	{syscall.EOPNOTSUPP, "EOPNOTSUPP", Permanent, NotSent},

	{syscall.Errno(10061), "WSAECONNREFUSED", Unsent, NotSent},
	{syscall.Errno(10051), "WSAENETUNREACH", Unsent, NotSent},
	{syscall.Errno(10065), "WSAEHOSTUNREACH", Unsent, NotSent},
	{syscall.Errno(10050), "WSAENETDOWN", Unsent, NotSent},
	{syscall.Errno(10064), "WSAEHOSTDOWN", Unsent, NotSent},
	{syscall.Errno(10004), "WSAEINTR", Unsent, NotSent},
	{syscall.Errno(10060), "WSAETIMEDOUT", Timeout, Maybe},
	{syscall.Errno(10054), "WSAECONNRESET", Network, Maybe},
	{syscall.Errno(10053), "WSAECONNABORTED", Network, Maybe},
	{syscall.Errno(10052), "WSAENETRESET", Network, Maybe},
	{syscall.Errno(10057), "WSAENOTCONN", Network, Maybe},
	{syscall.Errno(10058), "WSAESHUTDOWN", Network, Maybe},
	{syscall.Errno(10035), "WSAEWOULDBLOCK", Conflict, NotSent},
	{syscall.Errno(10024), "WSAEMFILE", Local, NotSent},
	{syscall.Errno(10055), "WSAENOBUFS", Local, NotSent},
	{syscall.Errno(10049), "WSAEADDRNOTAVAIL", Local, NotSent},
	{syscall.Errno(10048), "WSAEADDRINUSE", Local, NotSent},
	{syscall.Errno(10013), "WSAEACCES", Permanent, NotSent},
	{syscall.Errno(10022), "WSAEINVAL", Permanent, NotSent},
	{syscall.Errno(10047), "WSAEAFNOSUPPORT", Permanent, NotSent},
	{syscall.Errno(10043), "WSAEPROTONOSUPPORT", Permanent, NotSent},
	{syscall.Errno(10040), "WSAEMSGSIZE", Permanent, NotSent},
	{syscall.Errno(10045), "WSAEOPNOTSUPP", Permanent, NotSent},
}

// errnoRows is errnos by number. Where two names share a number the first row
// counts.
var errnoRows = func() map[syscall.Errno]*errnoEntry {
	rows := make(map[syscall.Errno]*errnoEntry, len(errnos))
	for i := range errnos {
		if _, twice := rows[errnos[i].errno]; !twice {
			rows[errnos[i].errno] = &errnos[i]
		}
	}
	return rows
}()

// lowErrnos is errnoRows for the numbers of Unix, which are small and common.
var lowErrnos = func() (low [256]*errnoEntry) {
	for number, row := range errnoRows {
		if number < syscall.Errno(len(low)) {
			low[number] = row
		}
	}
	return low
}()

// errnoRow is the row of a number, nil if there is none.
func errnoRow(number syscall.Errno) *errnoEntry {
	if number < syscall.Errno(len(lowErrnos)) {
		return lowErrnos[number]
	}
	return errnoRows[number]
}
