// Package task holds the nouns of Outlast and the state machine that every
// store and the engine obey. It is pure: no clock, no randomness, no I/O.
//
// Stability: stable. Names and their meaning stay within a major version.
package task
