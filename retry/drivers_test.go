package retry

// databaseError, MySQLError, redisError and grpcError are errors of drivers, as far as
// they are recognized.
type databaseError string

func (e databaseError) Error() string    { return "connection timeout" }
func (e databaseError) SQLState() string { return string(e) }

type MySQLError struct {
	Number   uint16
	SQLState [5]byte
}

func (e *MySQLError) Error() string { return "connection timeout" }

type redisError string

func (e redisError) Error() string { return string(e) }
func (e redisError) RedisError()   {}

type grpcError struct{ code uint32 }

type grpcStatus struct{ grpcError }

func (e grpcError) Error() string           { return "rpc error: connection timeout" }
func (e grpcError) GRPCStatus() *grpcStatus { return &grpcStatus{e} }
func (s *grpcStatus) Code() uint32          { return s.code }
