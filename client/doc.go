// Package client is the Go client of the Outlast HTTP API, and the single
// definition of its JSON: the server encodes and decodes these same types.
//
// Every call that can be repeated without harm is repeated when its answer
// is lost. That includes [Client.Enqueue], which always sends an id: the
// server answers a repeat with the task of the first call.
//
// Errors of the server are [*Error]; errors.As also finds the
// [*task.Error] that a Go program with the library inside would have got.
//
// Stability: stable. Names and their meaning stay within a major version.
package client
