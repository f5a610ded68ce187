// Package badinput feeds Outlast what no friendly caller would send, and
// demands one verdict from all its doors: the HTTP API, the command line (by
// flags and by --file) and the Go library.
//
// A refusal is always a problem document with a stable code, the path of the
// field and a hint; its status is below 500; nothing of it is kept: no task,
// no queue, no operation. On the command line it is exit code 2 with the
// message on standard error and nothing on standard output. What is odd but
// allowed is kept byte for byte.
//
// The tables, by class: json_test.go (form of JSON), field_test.go (names,
// texts, times, durations, limits), policy_test.go (inline policies),
// url_test.go (targets in every notation, redirects, headers), list_test.go
// (filters, cursors, pages, ids in paths, queues, dead letters),
// http_test.go (the wire: types, sizes, encodings, hosts, origins),
// limit_test.go (one over each limit that the others leave out, over HTTP),
// exact_test.go (what is kept byte for byte), show_test.go (terminals and
// logs). TestSize holds the number of rows.
//
// Differences between the doors that are meant, and have rows of their own:
//
//   - A payload in Go is bytes, in HTTP and on the command line JSON.
//   - JSON form (duplicate names, depth, encoding) exists where JSON does.
//   - --file with several JSON values is a batch, not trailing data.
//   - The command line pages by itself, so its --limit has no maximum.
//
// What is not HTTP at all (a malformed request line, headers over the limit,
// an unknown Transfer-Encoding or Expect) is answered by net/http itself, in
// plain text and with 400, 417, 431, 501 or 505; see TestWire.
//
// Fuzz targets of hostile input live beside what they check: here FuzzID,
// FuzzCursor, FuzzQuery, FuzzEnqueueBody and FuzzSameVerdict; for policies,
// durations and Retry-After in package retry, for URLs, headers and addresses
// in package safehttp, for answers of receivers in package push. TestFuzzTargets
// keeps this list true.
package badinput
