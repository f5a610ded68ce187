// Package wholetx decides what the end of a database transaction means: whether it
// left anything behind, which of several errors is the cause, and whether the
// whole transaction is repeated. Packages retrysql and retrypgx connect it to
// drivers.
package wholetx
