// Package tools pins what make check-openapi runs, and what the code that oapi-codegen generates
// imports.
package tools

import _ "github.com/oapi-codegen/runtime" // of the generated code
