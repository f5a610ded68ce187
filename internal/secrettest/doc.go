// Package secrettest plants a different secret in every place where one can be,
// lets the real program do everything that it does with them, and looks for them
// in all that it writes: log, metrics, answers, messages to people, database.
package secrettest
