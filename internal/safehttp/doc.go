// Package safehttp is the one way out: every outbound HTTP request of Outlast
// (pushes, alerts, "test" buttons, sign-in discovery) goes through its guarded
// dialer, so that an address typed by a user cannot reach what only this machine
// or its network should see (server-side request forgery).
//
// There are two lines of defence:
//
//   - [Client] checks the address of every socket at the moment it is connected,
//     after name resolution. That is the line that counts: no notation, alias,
//     redirect or changed DNS answer gets around it, since nothing is resolved
//     again between the check and the dial.
//   - [CheckURL], [CheckHeaders] and [CheckMethod] refuse malformed and
//     misleading input early, where a person can still read the reason. They
//     look at text only and never at the network.
//
// Connections from a [Client] never go through a proxy of the environment,
// follow no redirects, keep no cookies and decode no compressed answers.
package safehttp
