// Package config reads the configuration file of a server: YAML, strictly. What
// is not known is refused with its line and the nearest name, and everything that
// is wrong is told at once, so that a file holds as a whole or not at all.
//
// A part of it is for the node that reads it (addresses, logs, the engine). The
// rest holds for all nodes and is kept in the database as objects: see
// [File.Objects].
package config
