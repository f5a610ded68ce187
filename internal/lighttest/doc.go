// Package lighttest holds tests of programs that link neither conditions nor mail nor
// metrics.
package lighttest
