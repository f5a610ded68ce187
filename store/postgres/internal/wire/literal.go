package wire

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// literal is an argument for drivers of database/sql, which know plain values
// only: arrays and ids become text, which the casts in the statements read.
func literal(arg any) any {
	switch v := arg.(type) {
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case uint16:
		return int64(v)
	case Optional:
		if v == "" {
			return nil
		}
		return string(v)
	case JSONText:
		if v == nil {
			return nil
		}
		return string(v)
	case []byte:
		if v == nil {
			return nil
		}
		return v
	case task.ID:
		return v.String()
	case []int64:
		return listed(len(v), func(i int) string { return strconv.FormatInt(v[i], 10) })
	case []int32:
		return listed(len(v), func(i int) string { return strconv.Itoa(int(v[i])) })
	case []bool:
		return listed(len(v), func(i int) string { return strconv.FormatBool(v[i]) })
	case []task.ID:
		return listed(len(v), func(i int) string { return v[i].String() })
	case []string:
		return listed(len(v), func(i int) string { return quoted(v[i]) })
	case Optionals:
		return listed(len(v), func(i int) string { return quotedUnless(v[i] == "", v[i]) })
	case JSONs:
		return listed(len(v), func(i int) string { return quotedUnless(v[i] == nil, string(v[i])) })
	case [][]byte:
		return listed(len(v), func(i int) string { return quotedUnless(v[i] == nil, `\x`+hex.EncodeToString(v[i])) })
	}
	return arg
}

// listed is an array as text; see "Array Input and Output Syntax" in the
// manual.
func listed(n int, element func(i int) string) string {
	var text strings.Builder
	text.WriteByte('{')
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(element(i))
	}
	text.WriteByte('}')
	return text.String()
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func quoted(text string) string { return `"` + escapes.Replace(text) + `"` }

func quotedUnless(null bool, text string) string {
	if null {
		return "NULL"
	}
	return quoted(text)
}
