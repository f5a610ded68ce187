// Package server is the HTTP API: thin handlers, a package for each noun, over the
// root package, which alone decides what is valid. The JSON is that of package client;
// the OpenAPI document comes from the same types.
//
// What the server itself decides is the form of a request: size, strict
// JSON, who may call (Host and Origin), and how an error is written.
//
// A program of one's own serves the API with a client that works on all queues:
//
//	client, err := outlast.Open(ctx, store, outlast.WithAllQueues(), outlast.WithAddress("host:7070"))
//	api, err := server.New(server.Config{Client: client, Console: server.Console(), Safety: server.OnDisk})
//
// It starts and stops the client, and gives connections their limits (see [Server.Listen]).
//
// Stability: stable. Names and their meaning stay within a major version.
package server
