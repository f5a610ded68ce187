// Package literal writes values into the text of statements of MySQL and MariaDB, whatever
// the pool's driver was told: a statement that is prepared costs a round trip more, and the
// server as much again as the work for a thousand ids.
package literal

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// In is a statement with values in the places of its question marks. One without
// values stays as it is.
func In(query string, values []any) (string, error) {
	if len(values) == 0 {
		return query, nil
	}
	text := make([]byte, 0, len(query)+24*len(values))
	for _, value := range values {
		before, after, found := strings.Cut(query, "?")
		if !found {
			return "", fmt.Errorf("mysql: a statement has fewer places than the %d values that it is given", len(values))
		}
		var err error
		if text, err = appendValue(append(text, before...), value); err != nil {
			return "", err
		}
		query = after
	}
	if strings.Contains(query, "?") {
		return "", fmt.Errorf("mysql: a statement has more places than the %d values that it is given", len(values))
	}
	return string(append(text, query...)), nil
}

// AppendRow writes values as a row of an INSERT.
func AppendRow(text []byte, values []any) (_ []byte, err error) {
	for i, value := range values {
		before := byte(',')
		if i == 0 {
			before = '('
		}
		if text, err = appendValue(append(text, before), value); err != nil {
			return text, err
		}
	}
	return append(text, ')'), nil
}

func appendValue(text []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(text, "NULL"...), nil
	case int:
		return strconv.AppendInt(text, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(text, v, 10), nil
	case uint16:
		return strconv.AppendUint(text, uint64(v), 10), nil
	case *task.ID:
		return appendHex(text, v[:]), nil
	case task.ID:
		return appendHex(text, v[:]), nil
	case string:
		return appendHex(text, v), nil
	case []byte:
		if v == nil {
			return append(text, "NULL"...), nil
		}
		return appendHex(text, v), nil
	case bool:
		if v {
			return append(text, '1'), nil
		}
		return append(text, '0'), nil
	}
	plain, err := driver.DefaultParameterConverter.ConvertValue(value)
	if err != nil {
		return text, err
	}
	switch plain.(type) {
	case nil, int64, string, []byte, bool:
		return appendValue(text, plain)
	}
	return text, fmt.Errorf("mysql: a %T is no value of a statement", value)
}

// appendHex writes bytes, which no server converts from one character set to another,
// and which mean the same whatever a session says of quotes. A server reads them faster
// than text between quotes, although they are twice as long.
func appendHex[T string | []byte](text []byte, value T) []byte {
	const digits = "0123456789abcdef"
	text = append(slices.Grow(text, 2*len(value)+len("x''")), "x'"...)
	for i := range len(value) {
		text = append(text, digits[value[i]>>4], digits[value[i]&15])
	}
	return append(text, '\'')
}

// idSize is how long an id is in a list.
const idSize = len("x'',") + 2*len(task.ID{})

// AppendIDs writes a list of ids.
func AppendIDs(text []byte, all []task.ID) []byte {
	text = slices.Grow(text, len(all)*idSize)
	for i := range all {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendHex(text, all[i][:])
	}
	return text
}
