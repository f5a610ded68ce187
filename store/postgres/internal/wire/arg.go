package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/outlast-dev/outlast/task"
)

// Kinds of arguments beside the plain ones.
type (
	// Optional is text of which "" is stored as null.
	Optional string
	// Optionals are such texts as one array.
	Optionals []string
	// JSONs are texts as one array; nil is stored as null.
	JSONs [][]byte
	// JSONText is one of them.
	JSONText []byte
)

// Numbers of types, from pg_type.dat of PostgreSQL.
const (
	oidBool  = 16
	oidBytea = 17
	oidInt8  = 20
	oidInt4  = 23
	oidText  = 25
	oidUUID  = 2950
)

// encode is an argument in the binary format of the protocol, nil for null.
// Every statement casts its arguments to the types below, since the server
// takes the bytes as they are.
func encode(arg any) ([]byte, error) {
	switch v := arg.(type) {
	case nil:
		return nil, nil
	case int64: // bigint
		return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(v)), nil
	case int: // bigint
		return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(v)), nil
	case int32: // integer
		return binary.BigEndian.AppendUint32(make([]byte, 0, 4), uint32(v)), nil
	case uint16: // integer
		return binary.BigEndian.AppendUint32(make([]byte, 0, 4), uint32(v)), nil
	case bool:
		return []byte{truth(v)}, nil
	case string: // text
		return []byte(v), nil
	case Optional:
		if v == "" {
			return nil, nil
		}
		return []byte(v), nil
	case []byte: // bytea
		return v, nil
	case JSONText:
		return v, nil
	case task.ID: // uuid
		return v[:], nil
	}
	return encodeArray(arg)
}

// OptionalArray is an array that is null when it is nil.
func OptionalArray(v [][]byte) any {
	if v == nil {
		return nil
	}
	return v
}

func truth(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func encodeArray(arg any) ([]byte, error) {
	switch v := arg.(type) {
	case []int64:
		return array(oidInt8, len(v), 8, func(a []byte, i int) []byte {
			return binary.BigEndian.AppendUint64(Element(a, 8), uint64(v[i]))
		}), nil
	case []int32:
		return array(oidInt4, len(v), 4, func(a []byte, i int) []byte {
			return binary.BigEndian.AppendUint32(Element(a, 4), uint32(v[i]))
		}), nil
	case []bool:
		return array(oidBool, len(v), 1, func(a []byte, i int) []byte { return append(Element(a, 1), truth(v[i])) }), nil
	case []task.ID:
		return array(oidUUID, len(v), 16, func(a []byte, i int) []byte { return append(Element(a, 16), v[i][:]...) }), nil
	case []string:
		return array(oidText, len(v), 16, func(a []byte, i int) []byte { return append(Element(a, len(v[i])), v[i]...) }), nil
	case Optionals:
		return array(oidText, len(v), 8, func(a []byte, i int) []byte {
			if v[i] == "" {
				return Element(a, -1)
			}
			return append(Element(a, len(v[i])), v[i]...)
		}), nil
	case [][]byte:
		return byteArray(oidBytea, v), nil
	case JSONs:
		return byteArray(oidText, v), nil
	}
	return nil, fmt.Errorf("postgres: an argument is a %T", arg)
}

func byteArray(oid uint32, v [][]byte) []byte {
	return array(oid, len(v), 32, func(a []byte, i int) []byte {
		if v[i] == nil {
			return Element(a, -1)
		}
		return append(Element(a, len(v[i])), v[i]...)
	})
}

// array is a one-dimensional array: the number of dimensions, whether there
// may be nulls, the type, the length, the first index, the elements.
func array(oid uint32, n, size int, add func(a []byte, i int) []byte) []byte {
	a := make([]byte, 0, 20+n*(4+size))
	if n == 0 {
		a = binary.BigEndian.AppendUint32(a, 0)
		a = binary.BigEndian.AppendUint32(a, 0)
		return binary.BigEndian.AppendUint32(a, oid)
	}
	for _, word := range [...]uint32{1, 1, oid, uint32(n), 1} {
		a = binary.BigEndian.AppendUint32(a, word)
	}
	for i := range n {
		a = add(a, i)
	}
	return a
}

// Element begins an element of so many bytes, -1 for null.
func Element(a []byte, size int) []byte { return binary.BigEndian.AppendUint32(a, uint32(int32(size))) }
