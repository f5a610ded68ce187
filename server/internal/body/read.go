package body

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/task"
)

// Sizes of request bodies, and how deeply they may be nested.
const (
	Max      = 2 << 20
	MaxBatch = 16 << 20
	maxDepth = 64
)

// Read reads a JSON body into out. Its type must be JSON: a plain form
// in a web page cannot send that to us.
func Read(req *http.Request, out any, optional bool, limit int64) error {
	if req.ContentLength == 0 && optional {
		return nil
	}
	if err := checkType(req, optional); err != nil {
		return err
	}
	data, err := readAll(req, limit)
	if err != nil {
		return err
	}
	if len(data) == 0 && optional {
		return nil
	}
	return Decode(data, out, "")
}

func checkType(req *http.Request, optional bool) error {
	kind := req.Header.Get("Content-Type")
	if kind == "application/json" && req.Header.Get("Content-Encoding") == "" {
		return nil
	}
	if kind == "" && optional && req.ContentLength < 0 {
		return nil
	}
	media, parameters, err := mime.ParseMediaType(kind)
	charset := parameters["charset"]
	if err != nil || media != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return &task.Error{Code: problem.CodeMediaType, Message: "the body must be JSON, but its type is " + task.Quote(kind), Hint: "send Content-Type: application/json",
			Fields: []task.Field{{Path: "Content-Type", Message: "must be application/json in UTF-8"}}}
	}
	if encoding := req.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &task.Error{Code: problem.CodeMediaType, Message: "a compressed body is not accepted", Hint: "send it without Content-Encoding",
			Fields: []task.Field{{Path: "Content-Encoding", Message: "must be absent or identity"}}}
	}
	return nil
}

func tooLarge(limit int64) error {
	return &task.Error{Code: task.CodeTooLarge, Message: "the request body is over " + sizeText(limit),
		Hint: "send fewer tasks at once; keep large data elsewhere and send a reference", Fields: []task.Field{{Path: whole, Message: "is too large"}}}
}

// sizeText writes a limit in the largest unit of which it is a multiple.
func sizeText(limit int64) string {
	if limit < 1<<20 {
		return strconv.FormatInt(limit>>10, 10) + " KiB"
	}
	return strconv.FormatInt(limit>>20, 10) + " MiB"
}
