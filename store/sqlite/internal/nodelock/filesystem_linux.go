package nodelock

import (
	"fmt"
	"syscall"

	"github.com/outlast-dev/outlast/task"
)

// remote lists the statfs types of file systems that other hosts may share:
// their locks and shared memory do not hold across hosts (linux/magic.h).
var remote = map[int64]string{
	0x6969:     "NFS",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x517b:     "SMB",
	0x01021997: "9P",
	0x5346414f: "AFS",
	0x00c36400: "Ceph",
	0x0bd00bd0: "Lustre",
	0x47504653: "GPFS",
	0x01161970: "GFS2",
	0x7461636f: "OCFS2",
	0x73757245: "Coda",
	0x65735546: "FUSE",
}

// CheckFileSystem refuses a folder in which locks cannot be relied on.
func CheckFileSystem(dir string) error {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	if name := remote[int64(stat.Type)&0xffffffff]; name != "" {
		return &task.Error{Code: task.CodeUnavailable, Message: "the database lies on " + name + ", whose locks cannot be relied on",
			Hint: "put the file on a local disk, or use PostgreSQL"}
	}
	return checkLocks(dir)
}
