// Package intake bounds what a server takes in at once: connections, and the bytes
// of request bodies, in all and of one caller.
package intake
