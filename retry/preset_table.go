package retry

import "time"

// outlast is the source of presets that copy no other product.
const outlast = "Outlast"

// presets in the order of the documentation. Attempts are retries plus one.
var presets = []preset{
	{PresetInfo{"instant", "Glitches of a fast dependency: 3 retries within 0.7 s.", outlast},
		exponentially(4, 100*time.Millisecond, 2, 0)},
	{PresetInfo{"transient", "Passing failures: 5 retries, 31 s in total.", outlast},
		exponentially(6, time.Second, 2, 0)},
	{PresetInfo{"permanent", "No retries.", outlast},
		exponentially(1, time.Second, 2, 0)},
	{PresetInfo{"dispatch", "Handing tasks to workers that may be away: 1, 5, 10, then every 60 s without end, never early.",
		"dispatch steps of Outlast's worker groups"},
		Spec{Unlimited: true, Backoff: stepwise(5*time.Minute, "additive", 1, 5, 10, 60)}},
	{PresetInfo{"short", "Network jitter: 4 retries, 15 s in total.", outlast},
		exponentially(5, time.Second, 2, 0)},
	{PresetInfo{"medium", "Restarts, deploys and short overload: 5 retries, 15.5 minutes in total.", outlast},
		exponentially(6, 30*time.Second, 2, 0)},
	{PresetInfo{"long", "Resource-heavy work: 8 retries, 9.66 hours in total.", outlast},
		exponentially(9, 300*time.Second, 1.75, 0)},
	{PresetInfo{"payment", "Payments: 5 attempts, 15 s of waits.", outlast},
		exponentially(5, time.Second, 2, 30*time.Second)},
	{PresetInfo{"notification", "Notifications: 3 attempts, 1.25 s of waits.", outlast},
		exponentially(3, 500*time.Millisecond, 1.5, 10*time.Second)},
	{PresetInfo{"data-sync", "Data synchronization: 3 attempts, 6 s of waits.", outlast},
		exponentially(3, 2*time.Second, 2, 60*time.Second)},
	{PresetInfo{"order-create", "Creating orders while a person waits: 3 retries within 0.6 s.", outlast},
		linearly(4, 100*time.Millisecond)},
	{PresetInfo{"payment-callback", "Callbacks of payment providers: 5 attempts, 15 s of waits.", outlast},
		exponentially(5, time.Second, 2, 30*time.Second)},
	{PresetInfo{"logistics-sync", "Logistics updates: 2 retries within 15 s.", outlast},
		linearly(3, 5*time.Second)},
	{PresetInfo{"snailjob-26", "SnailJob's delay levels: 26 retries, 79 h 34 min in total, never early.",
		"SnailJob 2.0.2, delay levels 1 to 26"},
		limited(27, stepwise(0, "additive", 10, 15, 30, 35, 40, 50,
			1*60, 2*60, 4*60, 6*60, 8*60, 10*60, 20*60, 40*60,
			1*3600, 2*3600, 3*3600, 4*3600, 5*3600, 6*3600, 7*3600, 8*3600, 9*3600, 10*3600, 11*3600, 12*3600))},
	{PresetInfo{"rocketmq-16", "RocketMQ's consumer retry levels: 16 retries, 4 h 45 min 40 s in total, never early.",
		"RocketMQ, messageDelayLevel from level 3 on"},
		limited(17, stepwise(0, "additive", 10, 30,
			1*60, 2*60, 3*60, 4*60, 5*60, 6*60, 7*60, 8*60, 9*60, 10*60, 20*60, 30*60, 1*3600, 2*3600))},
	{PresetInfo{"standard-webhooks", "Webhooks to receivers that may be down for days: 9 retries, 75 h 35 min 5 s in total, never early.",
		"Standard Webhooks specification, example retry schedule"},
		limited(10, stepwise(0, "additive", 5, 5*60, 30*60,
			2*3600, 5*3600, 10*3600, 14*3600, 20*3600, 24*3600))},
	{PresetInfo{"classic", "The textbook's schedule: 3 attempts, 3 s of waits, never early.", outlast},
		limited(3, &BackoffSpec{Kind: "exponential", Initial: duration(time.Second), Multiplier: number(2),
			Max: duration(60 * time.Second), Jitter: jitterSpec("additive")})},
	{PresetInfo{"consistency-task", "Eventual consistency: first run after 60 s, then every 60 s without end, never early.",
		"@ConsistencyTask of com.ruyuan.consistency: executeIntervalSec 60, delayTime 60"},
		Spec{Unlimited: true, FirstRunAfter: duration(60 * time.Second),
			Backoff: &BackoffSpec{Kind: "fixed", Initial: duration(60 * time.Second), Jitter: jitterSpec("additive")}}},
	{PresetInfo{"default", "Tasks that name no policy: 8 attempts, 127 s of waits.", outlast},
		exponentially(DefaultAttempts, DefaultInitial, DefaultMultiplier, DefaultMax)},
}

// limited is a spec with that many attempts.
func limited(attempts int, backoff *BackoffSpec) Spec {
	return Spec{MaxAttempts: &attempts, Backoff: backoff}
}

// exponentially is an exponential spec with full jitter.
func exponentially(attempts int, initial time.Duration, multiplier float64, max time.Duration) Spec {
	backoff := &BackoffSpec{Kind: "exponential", Initial: duration(initial), Multiplier: number(multiplier), Jitter: jitterSpec("full")}
	if max > 0 {
		backoff.Max = duration(max)
	}
	return limited(attempts, backoff)
}

// linearly is a linear spec with full jitter and a step of the first interval.
func linearly(attempts int, initial time.Duration) Spec {
	return limited(attempts, &BackoffSpec{Kind: "linear", Initial: duration(initial), Jitter: jitterSpec("full")})
}

// stepwise is a backoff with the given steps in seconds.
func stepwise(max time.Duration, jitter string, seconds ...int) *BackoffSpec {
	backoff := &BackoffSpec{Kind: "steps", Jitter: jitterSpec(jitter)}
	for _, s := range seconds {
		backoff.Steps = append(backoff.Steps, Duration(time.Duration(s)*time.Second))
	}
	if max > 0 {
		backoff.Max = duration(max)
	}
	return backoff
}

// jitterSpec is a jitter by name; additive spreads by a tenth.
func jitterSpec(kind string) *JitterSpec {
	spec := &JitterSpec{Kind: kind}
	if kind == "additive" {
		spec.X = number(0.1)
	}
	return spec
}

func duration(d time.Duration) *Duration { return (*Duration)(&d) }

func number(x float64) *float64 { return &x }
