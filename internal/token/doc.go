// Package token says who may call the API of a server: tokens, their roles and
// the queues that they are for.
//
// A token is 256 random bits behind a prefix and an id. It is shown once, when
// it is made; what is kept is its SHA-256. A slow hash, which passwords need
// because people choose them, would only cost time here: nobody can try out
// 2^256 values, however fast the hash is. The id finds the row, and the hash
// is compared in constant time.
package token
