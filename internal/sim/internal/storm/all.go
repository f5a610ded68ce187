package storm

// All are the scenarios in the order of the documentation.
func All() []*Scenario {
	return []*Scenario{
		synchronousCohort(), brownoutSweep(), hardOutage(), metastable(),
		stability(), layers(), smallClients(),
		recoveryHerd(), retryAfterHerd(), breakerFleet(), effects(), deadline(), exhaustedLoop(),
		priorityOverload(), cancelStorm(), capacityStep(), slowDependency(),
		learnedRecovery(),
		tasksOfNodes(),
	}
}
