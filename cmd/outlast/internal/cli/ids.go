package cli

import (
	"github.com/outlast-dev/outlast/task"
)

// ParseID reads an id of the command line.
func ParseID(text string) (task.ID, error) {
	id, err := task.ParseID(text)
	if err != nil {
		return id, Usagef("%s is not a task id; ids look like 019a9f2e-5c00-7abc-8def-0123456789ab", task.Quote(text))
	}
	return id, nil
}

// FlagID reads an id that is the value of a flag, none if it is empty.
func FlagID(flag, text string) (id task.ID, err error) {
	if text == "" {
		return id, nil
	}
	if id, err = ParseID(text); err != nil {
		return id, Usagef("--%s: %v", flag, err)
	}
	return id, nil
}

// ParseIDs reads ids of the command line; nil without any.
func ParseIDs(texts []string) ([]task.ID, error) {
	var ids []task.ID // nil without texts: an empty list beside a filter is refused
	for _, text := range texts {
		id, err := ParseID(text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
