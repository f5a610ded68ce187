package classify

import "testing"

// TestOfType checks names with what stands before their last part.
func TestOfType(t *testing.T) {
	for name, want := range map[string]Category{
		"java.net.ConnectException":                                 Unsent,
		"java.sql.SQLTransientConnectionException":                  Unsent,
		"java.net.UnknownHostException":                             Unsent,
		"org.apache.http.conn.ConnectTimeoutException":              Unsent,
		"java.net.SocketTimeoutException":                           Timeout,
		"java.util.concurrent.TimeoutException":                     Timeout,
		"java.net.SocketException":                                  Network,
		"java.io.EOFException":                                      Network,
		"org.springframework.dao.DeadlockLoserDataAccessException":  Conflict,
		"java.sql.SQLTransactionRollbackException":                  Conflict,
		"com.example.Gateway$ServiceUnavailableException":           Unavailable,
		"java.lang.IllegalArgumentException":                        Permanent,
		"org.springframework.dao.DataIntegrityViolationException":   Permanent,
		"org.springframework.security.core.AuthenticationException": Permanent,
		"com.example.ResourceNotFoundException":                     Permanent,
		"java.lang.NullPointerException":                            Bug,
		"java.lang.OutOfMemoryError":                                Local,
		"java.util.concurrent.CancellationException":                Canceled,
		"com.amazonaws.services.kinesis.model.ThrottlingException":  Throttled,
		"builtins.ConnectionRefusedError":                           Unsent,
		"requests.exceptions.ConnectTimeout":                        Unsent,
		"requests.exceptions.ReadTimeout":                           Timeout,
		"asyncio.exceptions.CancelledError":                         Canceled,
		"ConnectionResetError":                                      Network,
		"psycopg2.errors.DeadlockDetected":                          Conflict,
		"sqlalchemy.exc.IntegrityError":                             Permanent,
		"ValueError":                                                Permanent,
		"TypeError":                                                 Bug,
		"ECONNREFUSED":                                              Unsent,
		"ECONNRESET":                                                Network,
		"EAI_AGAIN":                                                 Unsent,
		"ENOTFOUND":                                                 Permanent,
		"UND_ERR_HEADERS_TIMEOUT":                                   Timeout,
		"AbortError":                                                Canceled,
		" java.net.ConnectException ":                               Unsent,
	} {
		if got, ok := OfType(name); got != want || !ok {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", ".", "com.example.OwnException", "Error", "connectexception"} {
		if got, ok := OfType(name); ok {
			t.Errorf("%q is known as %q", name, got)
		}
	}
}

// TestRemoteTable: each name of the table stands in one list only, has one part,
// and keeps its category behind a package.
func TestRemoteTable(t *testing.T) {
	seen := map[string]Category{}
	for category, names := range remoteNames {
		for _, name := range names {
			if other, twice := seen[name]; twice {
				t.Errorf("%s is %s and %s", name, category, other)
			}
			seen[name] = category
			if got, ok := OfType("some.package.Outer$" + name); got != category || !ok {
				t.Errorf("%s: %q, %v", name, got, ok)
			}
		}
	}
}
