// Package server is the HTTP API: thin handlers over the root package, which
// alone decides what is valid. The JSON is that of package client; the
// OpenAPI document comes from the same types.
//
// What the server itself decides is the form of a request: size, strict
// JSON, who may call (Host and Origin), and how an error is written.
package server
