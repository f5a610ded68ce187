// Package incidenttest tells the incidents that Outlast is made for, each as one
// test with the real program: what happened, and that it cannot happen here. Where
// the incident can be made without Outlast, or without the guard, that is done beside
// it, so that the test shows something.
//
//	deploy_test.go   a deploy kills a running job
//	group_test.go    retry at once, again and again
//	vanish_test.go   retries that vanish
//	storm_test.go    the retry storm, by make faults
//	order_test.go    the wrong order
//
// docs/explanation/incidents.md is for people who read no Go.
package incidenttest
