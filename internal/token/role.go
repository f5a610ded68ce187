package token

import (
	"github.com/outlast-dev/outlast/inspect"
)

import "slices"

// Roles are all roles.
var Roles = []inspect.Role{inspect.Viewer, inspect.Operator, inspect.Admin, inspect.Enqueuer, inspect.Worker}

// Permissions are all permissions, from the least to the greatest.
var Permissions = []inspect.Permission{inspect.PermissionOpen, inspect.PermissionPeer, inspect.PermissionKnown, inspect.PermissionFollow, inspect.PermissionView, inspect.PermissionEnqueue, inspect.PermissionWork, inspect.PermissionOperate, inspect.PermissionAdminister}

var granted = map[inspect.Role][]inspect.Permission{
	inspect.Viewer:   {inspect.PermissionKnown, inspect.PermissionFollow, inspect.PermissionView},
	inspect.Operator: {inspect.PermissionKnown, inspect.PermissionFollow, inspect.PermissionView, inspect.PermissionEnqueue, inspect.PermissionOperate},
	inspect.Admin:    {inspect.PermissionKnown, inspect.PermissionFollow, inspect.PermissionView, inspect.PermissionEnqueue, inspect.PermissionWork, inspect.PermissionOperate, inspect.PermissionAdminister},
	inspect.Enqueuer: {inspect.PermissionKnown, inspect.PermissionFollow, inspect.PermissionEnqueue},
	inspect.Worker:   {inspect.PermissionKnown, inspect.PermissionWork},
}

// May reports whether the role has a permission. No role has what is not
// listed; [inspect.PermissionOpen] and [inspect.PermissionPeer] need none.
func May(r inspect.Role, p inspect.Permission) bool { return slices.Contains(granted[r], p) }
