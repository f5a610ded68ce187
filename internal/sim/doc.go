// Package sim plays retry storms in virtual time.
//
// A storm is a model of clients, servers and faults. The clients decide with the
// real code of package retry: [retry.Policy.Decide], [retry.Budget],
// [retry.Breaker], [retry.Throttle], [retry.Limit] and [retry.Outages], which take
// the time as an argument and here get a virtual one. What happens next is kept in
// a queue of events; one goroutine takes them out in order. Nothing sleeps, and a
// run is a pure function of the scenario, the clients and the seed.
//
// [Scenarios] are storms with acceptance numbers. Each one has controls: clients
// that must fail where theory says so, because a simulator in which everybody
// survives shows nothing. [Compare] plays one storm with several policies, and
// [Replay] a recorded history of attempts.
//
// Models of other libraries' budgets and breakers reproduce a mechanism with the
// parameters that its documentation or source gives; they are not those libraries.
package sim
