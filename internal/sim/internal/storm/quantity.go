package storm

import (
	"fmt"
	"math"
	"strconv"
)

// Round keeps four decimals: more would only be noise in a report.
func Round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Decimal is a number for people: three decimals at most.
func Decimal(x float64) string {
	if math.Abs(x) >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(math.Round(x*1e3)/1e3+0, 'f', -1, 64) // + 0 turns −0 into 0
}

// Quantity is a number for people with its unit; infinity is never.
func Quantity(x float64, unit string) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	if unit == "" {
		return Decimal(x)
	}
	return fmt.Sprintf("%s %s", Decimal(x), unit)
}
