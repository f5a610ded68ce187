package archtest

// What is beyond a budget today, with its numbers. The lists can only shrink: a
// number that fell is written down here, one that rises fails, and nothing is
// added.

// methodOffenders are types with more than typeMethods methods.
var methodOffenders = map[string]sizes{
	"alert.Keeper":         {90},
	"client.Client":        {104},
	"outlast.Client":       {104},
	"retry.Policy":         {41},
	"server.Server":        {116},
	"store/faulty.wrapper": {50},
	"store/memory.Store":   {61},
	"store/memory.data":    {46},
	"store/mysql.Store":    {73},
	"store/postgres.Store": {113},
	"store/sealed.Store":   {68},
	"store/sqlite.Store":   {59},
}

// fieldOffenders are structs with more than structFields fields.
var fieldOffenders = map[string]sizes{
	"outlast.Client":  {34},
	"retry.operation": {27},
}

// interfaceOffenders are interfaces with more than interfaceMethods methods.
var interfaceOffenders = map[string]sizes{}

// folderOffenders are folders with more than folderFiles files.
var folderOffenders = map[string]sizes{
	"alert":          {31},
	"client":         {31},
	"outlast":        {48},
	"retry":          {64},
	"server":         {43},
	"sim":            {48},
	"store/mysql":    {45},
	"store/postgres": {53},
	"store/sqlite":   {42},
}

// circleOffenders are packages with circles of more than circleFiles files.
var circleOffenders = map[string]sizes{
	"alert":          {24},
	"dead":           {13},
	"outlast":        {36},
	"retry":          {33, 10},
	"server":         {40},
	"sim":            {9},
	"store/memory":   {14},
	"store/mysql":    {12},
	"store/postgres": {29},
	"store/sealed":   {15},
	"store/sqlite":   {13},
}
