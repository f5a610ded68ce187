package archtest

// programRules are those of programs, and of tests of everything, which nothing else imports.
var programRules = []rule{
	{path: "cmd/outlast/internal/cli", is: "what all commands share", imports: []arrow{
		{"client", "calls the server"},
		{"internal/hints", "nearest names of commands and flags"},
		{"task", "ids, named errors"},
		{"internal/config", "problems of a file, one a line"},
		{"store", "the error of a missing right has an exit code"},
		{"internal/plaintext", "texts for people"},
		{"plan", "waits as people write them"},
	}},
	{path: "cmd/outlast/internal/report", is: "what doctor finds", imports: []arrow{
		{"cmd/outlast/internal/cli", "tables and JSON"},
		{"task", "named errors"},
	}},
	{path: "cmd/outlast/internal/report/reporttest", is: "examines servers until they are as they were set up", imports: []arrow{
		{"cmd/outlast/internal/report", "what was found"},
	}},
	{path: "cmd/outlast/internal/stores/kind", is: "what there is to know of a kind of store", imports: []arrow{
		{"cmd/outlast/internal/cli", "short messages"},
		{"cmd/outlast/internal/report", "what doctor finds"},
		{"server", "what a store survives"},
		{"store", "stores"},
		{"task", "named errors"},
	}},
	{path: "cmd/outlast/internal/stores/*", is: "one kind of store, which knows no other", imports: []arrow{
		{"cmd/outlast/internal/cli", "errors of usage"},
		{"cmd/outlast/internal/report", "what doctor finds"},
		{"cmd/outlast/internal/stores/kind", "what there is to know of a kind"},
		{"...", "the store"},
	}},
	{path: "cmd/outlast/internal/stores", is: "opens stores by URL", imports: []arrow{
		{"cmd/outlast/internal/cli", "errors of usage"},
		{"cmd/outlast/internal/stores/*", "what it knows of each kind"},
		{"...", "the store in memory, and what a server opens stores with"},
	}},
	{path: "cmd/outlast/internal/settings", is: "the configuration of a server", imports: []arrow{
		{"cmd/outlast/internal/cli", "errors of usage, where the value of a flag comes from"},
		{"cmd/outlast/internal/stores", "what a server opens stores with"},
		{"...", "what can be set"},
	}},
	{path: "cmd/outlast/internal/taskview", is: "tasks and attempts for people", imports: []arrow{
		{"cmd/outlast/internal/cli", "tables and JSON"},
		{"client", "what is shown"},
		{"internal/stats", "names of policy versions"},
	}},
	{path: "cmd/outlast/internal/filecheck", is: "what was found in a file", imports: []arrow{
		{"cmd/outlast/internal/cli", "messages and JSON"},
		{"internal/config", "problems of a file"},
		{"plan", "warnings about a policy"},
		{"retry", "the policy"},
	}},
	{path: "cmd/outlast/internal/*", is: "commands of one noun, which know no other noun", imports: []arrow{
		{"cmd/outlast/internal/cli", "what all commands share"},
		{"cmd/outlast/internal/stores", "commands that work on a store itself"},
		{"cmd/outlast/internal/stores/kind", "what can be done with it"},
		{"cmd/outlast/internal/report", "what doctor finds"},
		{"cmd/outlast/internal/settings", "commands about the configuration of a server"},
		{"cmd/outlast/internal/taskview", "commands that answer with tasks"},
		{"cmd/outlast/internal/filecheck", "commands that check a file"},
		{"...", "what they show"},
	}},
	{path: "cmd/*", is: "programs", imports: []arrow{
		{"...", "what they put together"},
	}},
	{path: "clients/conformance", is: "says which rules of the protocol a worker breaks", imports: []arrow{
		{"client", "the JSON of the calls"},
		{"task", "ids, named errors"},
	}},
	{path: "examples", is: "whole programs", imports: []arrow{{"...", "they show the public packages"}}},
	{path: "examples/*", is: "whole programs", imports: []arrow{{"...", "they show the public packages"}}},
	{path: "examples/shop/*", is: "whole programs, and what two of them share", imports: []arrow{{"...", "they show the public packages"}, {"examples/shop/orders", "the definitions that both sides import"}}},

	// Tests of everything.
	{path: "internal/archtest", is: "tests of the source tree"},
	{path: "internal/badinput", is: "hostile input through every door", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/secrettest", is: "secrets planted everywhere, and looked for in all that is written"},
	{path: "internal/binarytest", is: "the real program in a process of its own", imports: []arrow{
		{"client", "tests talk to it as its users do"},
	}},
	{path: "internal/incidenttest", is: "the incidents that Outlast is made for", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/faulttest", is: "kill campaigns and planted defects", imports: []arrow{
		{"...", "it runs everything"},
		{"store/storetest", "invariants of a store after a fault"},
	}},
	{path: "internal/racetest", is: "whether the race detector watches a test"},
	{path: "internal/servers", is: "database servers that belong to a process", stdOnly: true},
	{path: "internal/servers/with", is: "a command beside database servers", stdOnly: true, imports: []arrow{
		{"internal/servers", "starts the servers"},
	}},
	{path: "internal/failovertest", is: "a primary that is lost under load"},
	{path: "internal/historytest", is: "what clients of a store saw, against the state machine", imports: []arrow{
		{"store", "the contract that is checked"},
		{"task", "the state machine"},
	}},
	{path: "outlasttest", is: "helpers for the tests of programs", imports: []arrow{
		{"", "the client that is tested"},
		{"alert", "what a channel was told"},
		{"store", "filters, and what has been committed"},
		{"store/memory", "the client's store"},
		{"task", "nouns"},
		{"internal/background", "the pace of the client's loops"},
		{"internal/alerts", "their step, and the queue of their tasks"},
		{"internal/engine", "attempts that are to fail"},
		{"internal/options", "what no program sets"},
		{"internal/serving", "one attempt without a store"},
	}},
	{path: "internal/lanemodel", is: "the claim protocol against a database of a few rows", stdOnly: true},
	{path: "internal/faulty", is: "a store whose calls go wrong, for tests", imports: []arrow{
		{"store", "the contract"},
		{"task", "the nouns that are stored"},
	}},
	{path: "internal/worldtest", is: "fleets of engines in virtual time", imports: []arrow{
		{"internal/engine", "what lives in it"}, {"internal/historytest", "what engines were told, against the state machine"},
		{"internal/drafts", "tasks that undo steps"}, {"internal/steps", "what handlers do in steps"}, {"internal/taskgroups", "callbacks of groups of tasks"}, {"retry", "policies of its tasks"},
		{"store", "the seam at which it cuts engines off"},
		{"internal/faulty", "calls that go wrong"},
		{"store/memory", "the store of all of them"},
		{"store/storetest", "invariants of the store"},
		{"task", "what it sends"},
	}},
	{path: "internal/lighttest", is: "programs without what is plugged in", imports: []arrow{{"...", "it runs a client"}}},
	{path: "internal/planttest", is: "defects in the source of a package, for tests that must find them", stdOnly: true},
	{path: "internal/servertest", is: "a database of its own for every test", imports: []arrow{
		{"internal/servers", "starts the servers"},
	}},
	{path: "internal/txtest", is: "an application with tables of its own on every database", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/stormtest", is: "outages of a real server under load", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/openapi", is: "prints the document of the API", imports: []arrow{
		{"", "a client for the server"},
		{"server", "whose document it is"},
		{"store/memory", "the client's store"},
	}},
	{path: "internal/site/write", is: "writes the pages into a folder", imports: []arrow{
		{"docs", "the pages"},
		{"internal/site", "what is made of them"},
	}},
	{path: "internal/cost", is: "runs one task, for make cost", imports: []arrow{{"...", "it runs everything"}}},
	{path: "internal/tools", is: "programs that generate and check"},
	{path: "internal/tools/*", is: "programs that generate and check"},
}
