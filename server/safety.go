package server

// Safety says what an acknowledged task survives, and what can be lost at worst.
type Safety struct {
	// Mode is full for a loss of power, server for what the database server is set up
	// for, none for nothing.
	Mode string
	// Loss says the worst in words.
	Loss string
}

// What stores survive.
var (
	// OnDisk is the safety of a store in a file.
	OnDisk = Safety{"full", "nothing that was acknowledged, as long as the disk keeps what it has synced"}
	// ByDatabaseServer is that of a store on a database server.
	ByDatabaseServer = Safety{"server", "what the settings of the database server and its standbys allow; outlast doctor tells"}
	// InMemory is that of a store in memory.
	InMemory = Safety{"none", "everything, when the process ends: tasks are kept in memory"}
)
