package sim

import "strings"

// Scenarios returns all scenarios in the order of the documentation. The caller
// owns the slice.
func Scenarios() []*Scenario {
	return []*Scenario{
		synchronousCohort(), brownoutSweep(), hardOutage(), metastable(),
		stability(), layers(), smallClients(),
		recoveryHerd(), retryAfterHerd(), breakerFleet(), effects(), deadline(), exhaustedLoop(),
		priorityOverload(), cancelStorm(), capacityStep(), slowDependency(),
		learnedRecovery(),
		tasksOfNodes(),
	}
}

// Find returns the scenario with that id, whatever its case; nil when there is
// none.
func Find(id string) *Scenario {
	for _, s := range Scenarios() {
		if strings.EqualFold(s.ID, id) {
			return s
		}
	}
	return nil
}
