package classify

import (
	"strings"
	"sync"
)

// OfType is the category of an error type of Java, Python or Node, or of an errno name as
// Node uses them, by the last part of the name; false for names that are not known.
func OfType(name string) (Category, bool) {
	last := LastPart(strings.TrimSpace(name))
	remoteTypes.once.Do(func() { remoteTypes.byName = invert(remoteNames) })
	if c, ok := remoteTypes.byName[last]; ok {
		return c, true
	}
	for _, row := range errnos {
		if row.name == last {
			return row.category, true
		}
	}
	return "", false
}

// remoteTypes is remoteNames by name, made at the first use.
var remoteTypes struct {
	once   sync.Once
	byName map[string]Category
}

// remoteNames is the table of [OfType].
var remoteNames = map[Category][]string{
	Unsent: {
		"ConnectException", "SQLTransientConnectionException", "UnknownHostException", "NoRouteToHostException",
		"HttpHostConnectException", "ConnectTimeoutException", "HttpConnectTimeoutException", "CannotGetJdbcConnectionException",
		"ConnectionRefusedError", "ConnectTimeout", "ConnectTimeoutError", "ConnectError", "NewConnectionError",
		"ClientConnectorError", "ClientConnectorDNSError", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT",
	},
	Timeout: {
		"SocketTimeoutException", "TimeoutException", "HttpTimeoutException", "ReadTimeoutException", "QueryTimeoutException",
		"SQLTimeoutException", "InterruptedIOException", "AsyncRequestTimeoutException",
		"TimeoutError", "ReadTimeout", "ReadTimeoutError", "WriteTimeout", "PoolTimeout", "Timeout", "ServerTimeoutError",
		"ESOCKETTIMEDOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT",
	},
	Network: {
		"SocketException", "ClosedChannelException", "EOFException", "NoHttpResponseException", "ConnectionClosedException",
		"ResourceAccessException", "SQLNonTransientConnectionException", "SQLRecoverableException",
		"ConnectionError", "ConnectionResetError", "ConnectionAbortedError", "BrokenPipeError", "ProtocolError",
		"ChunkedEncodingError", "RemoteDisconnected", "IncompleteRead", "ReadError", "WriteError", "RemoteProtocolError",
		"ServerDisconnectedError", "ClientOSError", "EOFError", "FetchError", "SocketError", "UND_ERR_SOCKET",
	},
	Conflict: {
		"DeadlockLoserDataAccessException", "SQLTransactionRollbackException", "CannotAcquireLockException",
		"PessimisticLockingFailureException", "OptimisticLockingFailureException", "ObjectOptimisticLockingFailureException",
		"CannotSerializeTransactionException", "ConcurrencyFailureException", "OptimisticLockException", "StaleObjectStateException",
		"LockTimeoutException", "PessimisticLockException", "ConcurrentModificationException", "MySQLTransactionRollbackException",
		"DeadlockDetected", "SerializationFailure", "LockNotAvailable", "StaleDataError", "SequelizeOptimisticLockError",
	},
	Throttled: {
		"TooManyRequestsException", "ThrottlingException", "RequestLimitExceeded", "ProvisionedThroughputExceededException",
		"RateLimitExceededException", "TooManyRequests", "RateLimitError", "RequestNotPermitted", "SlowDown",
	},
	Unavailable: {
		"ServiceUnavailableException", "ServiceUnavailable", "HttpServerErrorException", "InternalServerErrorException",
		"BadGatewayException", "GatewayTimeoutException", "TransientDataAccessResourceException", "CallNotPermittedException",
		"RecoverableDataAccessException", "SQLTransientException", "InternalServerError", "BadGateway", "GatewayTimeout",
		"ServiceUnavailableError", "InternalServerErrorError",
	},
	Permanent: {
		"IllegalArgumentException", "DataIntegrityViolationException", "AuthenticationException", "ResourceNotFoundException",
		"DuplicateKeyException", "SQLIntegrityConstraintViolationException", "ConstraintViolationException", "ValidationException",
		"MethodArgumentNotValidException", "HttpMessageNotReadableException", "AccessDeniedException", "BadCredentialsException",
		"AuthorizationException", "SecurityException", "EntityNotFoundException", "NoSuchElementException", "FileNotFoundException",
		"NoSuchFileException", "NumberFormatException", "DateTimeParseException", "JsonProcessingException", "JsonParseException",
		"UnsupportedOperationException", "SQLSyntaxErrorException", "BadSqlGrammarException", "HttpClientErrorException",
		"ClassNotFoundException", "SSLHandshakeException", "CertificateException", "MalformedURLException", "URISyntaxException",
		"ValueError", "PermissionError", "FileNotFoundError", "FileExistsError", "IntegrityError", "ValidationError",
		"JSONDecodeError", "UnicodeDecodeError", "NotImplementedError", "SSLCertVerificationError", "InvalidURL", "InvalidSchema",
		"DoesNotExist", "ObjectDoesNotExist", "PermissionDenied", "NotFound", "Unauthorized", "Forbidden", "BadRequest",
		"SyntaxError", "URIError", "NotFoundError", "UnauthorizedError", "ForbiddenError", "BadRequestError", "SignatureError",
		"SequelizeUniqueConstraintError", "ZodError", "ENOTFOUND", "ERR_INVALID_ARG_TYPE", "ERR_INVALID_URL",
	},
	Local: {
		"OutOfMemoryError", "MemoryError", "RejectedExecutionException", "FileSystemException",
	},
	Bug: {
		"NullPointerException", "ClassCastException", "ArrayIndexOutOfBoundsException", "IndexOutOfBoundsException",
		"StringIndexOutOfBoundsException", "ArithmeticException", "IllegalStateException", "StackOverflowError", "AssertionError",
		"NoSuchMethodError", "NoClassDefFoundError",
		"TypeError", "AttributeError", "KeyError", "IndexError", "NameError", "ZeroDivisionError", "UnboundLocalError",
		"RecursionError", "ImportError", "ModuleNotFoundError", "ReferenceError", "RangeError",
	},
	Canceled: {
		"CancellationException", "CancelledError", "InterruptedException", "KeyboardInterrupt", "AbortError", "UND_ERR_ABORTED",
	},
}

func invert(lists map[Category][]string) map[string]Category {
	table := map[string]Category{}
	for category, names := range lists {
		for _, name := range names {
			table[name] = category
		}
	}
	return table
}

// LastPart is the name of a type without package, module, outer class or pointer
// star: "ConnectException" for "java.net.ConnectException".
func LastPart(name string) string {
	return name[strings.LastIndexAny(name, ".$:/\\*")+1:]
}
