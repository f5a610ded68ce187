package group

import (
	"fmt"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// Bounds of what members can register: each is in the memory of every node.
const (
	mostGroups  = 1000
	mostMembers = 1000 // of a group
)

// room refuses a new member that there is no room for. Beats always pass.
func (g *Groups) room(m inspect.Member) error {
	of := g.groups[m.Group]
	switch {
	case of == nil && len(g.groups) >= mostGroups:
		return full("group", fmt.Sprintf("there are %d worker groups already", mostGroups), "use one of them; a group without members is forgotten after a while")
	case of != nil && of.members[m.ID] == nil && len(of.members) >= mostMembers:
		return full("id", fmt.Sprintf("the group has %d members already", mostMembers), "let members leave that are gone, or use another group")
	}
	return nil
}

func full(path, message, hint string) error {
	return &task.Error{Code: task.CodeConflict, Message: message, Hint: hint, Fields: []task.Field{{Path: path, Message: message}}}
}
