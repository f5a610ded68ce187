package retry

import "syscall"

// errnoEntry is a row of the errno table.
type errnoEntry struct {
	errno    syscall.Errno
	name     string
	category Category
	effect   Effect
}

func (e errnoEntry) verdict() Verdict {
	return Verdict{Category: e.category, Effect: e.effect, Code: e.name}
}

// errnos is the errno table. Under a failed dial, [classifyOperation] makes
// everything but permanent and local errors [Unsent]. The last rows are the
// numbers that Windows sockets use.
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
	{syscall.Errno(10060), "WSAETIMEDOUT", Timeout, Maybe},
	{syscall.Errno(10054), "WSAECONNRESET", Network, Maybe},
	{syscall.Errno(10053), "WSAECONNABORTED", Network, Maybe},
}

func errnoRow(errno syscall.Errno) (errnoEntry, bool) {
	for _, row := range errnos {
		if row.errno == errno {
			return row, true
		}
	}
	return errnoEntry{}, false
}
