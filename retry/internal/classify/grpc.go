package classify

import (
	"reflect"
	"time"
)

// grpcEntry is a row of the gRPC table.
type grpcEntry struct {
	name     string
	category Category
	effect   Effect
}

// grpcCodes is the table of gRPC status codes, by number.
//
// Source: package google.golang.org/grpc/codes, AIP-194 and gRPC proposal A6. A
// canceled call is the server's or a proxy's doing here; who knows the context of the
// call knows when it was the caller's.
var grpcCodes = [...]grpcEntry{
	0:  {name: "OK"},
	1:  {"CANCELLED", Unavailable, Maybe},
	2:  {"UNKNOWN", Bug, Maybe},
	3:  {"INVALID_ARGUMENT", Permanent, Done},
	4:  {"DEADLINE_EXCEEDED", Timeout, Maybe},
	5:  {"NOT_FOUND", Permanent, Done},
	6:  {"ALREADY_EXISTS", Permanent, Done},
	7:  {"PERMISSION_DENIED", Permanent, Done},
	8:  {"RESOURCE_EXHAUSTED", Permanent, Done}, // but see GRPC
	9:  {"FAILED_PRECONDITION", Permanent, Done},
	10: {"ABORTED", Conflict, Done},
	11: {"OUT_OF_RANGE", Permanent, Done},
	12: {"UNIMPLEMENTED", Permanent, Done},
	13: {"INTERNAL", Bug, Maybe},
	14: {"UNAVAILABLE", Unavailable, Maybe},
	15: {"DATA_LOSS", Bug, Maybe},
	16: {"UNAUTHENTICATED", Permanent, Done},
}

const grpcResourceExhausted = 8

// GRPC classifies a status code; see retry.ClassifyGRPC. Hinted is whether the server
// gave a hint, which may be one of 0.
func GRPC(code uint32, hint Hint, hinted bool) Verdict {
	if code == 0 {
		return Verdict{}
	}
	if code >= uint32(len(grpcCodes)) {
		return Verdict{Category: Unknown, Effect: Maybe, Hint: hint}
	}
	if hinted && !hint.GiveUp {
		hint.After = max(hint.After, 1)
	}
	row := &grpcCodes[code]
	v := Verdict{Category: row.category, Effect: row.effect, Hint: hint, Code: row.name}
	if code == grpcResourceExhausted && hinted && !hint.GiveUp {
		v.Category, v.Effect = Throttled, NotSent
	}
	return v
}

// byGRPCStatus classifies an error with the method GRPCStatus() *status.Status.
// Reflection spares this package the import; the names are constants so that the
// linker can still drop methods that nobody calls.
func byGRPCStatus(err error) (Verdict, bool) {
	status := reflect.ValueOf(err).MethodByName("GRPCStatus").Call(nil)[0]
	if status.Kind() == reflect.Interface {
		status = status.Elem()
	}
	if !status.IsValid() {
		return Verdict{}, false
	}
	method := status.MethodByName("Code")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 || method.Type().Out(0).Kind() != reflect.Uint32 {
		return Verdict{}, false
	}
	code := uint32(method.Call(nil)[0].Uint())
	if code == 0 {
		return Verdict{}, false
	}
	after, hinted := grpcRetryDelay(status.Interface())
	return GRPC(code, Hint{After: after}, hinted), true
}

// grpcRetryDelay looks for a google.rpc.RetryInfo among the details of a status.
func grpcRetryDelay(status any) (time.Duration, bool) {
	detailed, ok := status.(interface{ Details() []any })
	if !ok {
		return 0, false
	}
	for _, detail := range detailed.Details() {
		if t := reflect.TypeOf(detail); t == nil || pointee(t).Name() != "RetryInfo" {
			continue
		}
		method := reflect.ValueOf(detail).MethodByName("GetRetryDelay")
		if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
			continue
		}
		if delay, ok := method.Call(nil)[0].Interface().(interface{ AsDuration() time.Duration }); ok {
			return max(0, delay.AsDuration()), true
		}
	}
	return 0, false
}
