package objects

import (
	"fmt"
	"regexp"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

// How long the texts of audit rows and changes may be, in bytes.
const (
	maxID      = 128
	maxActor   = 512
	maxAddress = 256
	maxAction  = 128
	maxSubject = store.MaxObjectKind + 1 + store.MaxObjectName
)

var kindForm = regexp.MustCompile(`^[a-z][a-z0-9_.-]*$`)

// Check refuses what no store can take.
func Check(change *store.Change) error {
	if err := check.Text("id", change.ID, maxID); err != nil {
		return err
	}
	if len(change.Put)+len(change.Delete) > store.MaxChange {
		return &task.Error{Code: task.CodeTooLarge, Message: fmt.Sprintf("the change is of more than %d objects", store.MaxChange)}
	}
	seen := map[key]bool{}
	for i := range change.Put {
		if err := checkPut(fmt.Sprintf("put[%d].", i), &change.Put[i], seen); err != nil {
			return err
		}
	}
	for i := range change.Delete {
		path, o := fmt.Sprintf("delete[%d].", i), &change.Delete[i]
		if err := checkName(path, o, seen); err != nil {
			return err
		}
		if o.Version < 1 {
			return task.Invalid(path+"version", "it is below 1", "give the version that was read")
		}
	}
	for i := range change.Audit {
		if err := checkAudit(fmt.Sprintf("audit[%d].", i), &change.Audit[i]); err != nil {
			return err
		}
	}
	for _, batch := range change.Enqueue {
		for i := range batch.Items {
			if err := check.Insert(&batch.Items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPut(path string, o *store.Object, seen map[key]bool) error {
	if err := checkName(path, o, seen); err != nil {
		return err
	}
	switch {
	case len(o.Body) == 0:
		return task.Invalid(path+"body", "it is empty", "")
	case o.Version < 0:
		return task.Invalid(path+"version", "it is negative", "")
	}
	if err := size(path+"body", o.Body); err != nil {
		return err
	}
	return check.Text(path+"managed", o.Managed, store.MaxObjectKind)
}

func checkName(path string, o *store.Object, seen map[key]bool) error {
	switch {
	case len(o.Kind) > store.MaxObjectKind || !kindForm.MatchString(o.Kind):
		return task.Invalid(path+"kind", "it is not 1 to 64 of a-z, 0-9, _, . and -, beginning with a letter", "")
	case o.Name == "":
		return task.Invalid(path+"name", "it is empty", "")
	case seen[keyOf(o)]:
		return task.Invalid(path+"name", "the change has "+label(o)+" twice", "")
	}
	seen[keyOf(o)] = true
	if err := check.Text(path+"name", o.Name, store.MaxObjectName); err != nil {
		return err
	}
	return check.Text(path+"actor", o.Actor, maxActor)
}

func checkAudit(path string, row *store.Audit) error {
	if row.Action == "" {
		return task.Invalid(path+"action", "it is empty", "")
	}
	for _, text := range [...]struct {
		name, value string
		limit       int
	}{
		{"actor", row.Actor, maxActor}, {"address", row.Address, maxAddress}, {"action", row.Action, maxAction},
		{"subject", row.Subject, maxSubject}, {"request", row.Request, maxID},
	} {
		if err := check.Text(path+text.name, text.value, text.limit); err != nil {
			return err
		}
	}
	if err := size(path+"before", row.Before); err != nil {
		return err
	}
	return size(path+"after", row.After)
}

func size(path string, body []byte) error {
	if len(body) <= store.MaxObject {
		return nil
	}
	message := fmt.Sprintf("it is larger than %d bytes", store.MaxObject)
	return &task.Error{Code: task.CodeTooLarge, Message: message, Fields: []task.Field{{Path: path, Message: message}}}
}
