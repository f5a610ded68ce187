// Package binarytest lets tests run the real program as its users do: built once
// per test binary, or per run of make test, started in a process of its own, talked to over HTTP, and killed.
//
//	func TestMain(m *testing.M) { os.Exit(binarytest.Run(m)) }
//
//	func TestSomething(t *testing.T) {
//		server := binarytest.Serve(t, "--store", "memory:")
//		task, _, err := server.API.Enqueue(t.Context(), client.Draft{...})
package binarytest
