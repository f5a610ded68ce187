package main

import "context"

// successAtOnce: what protection costs when nothing fails. The call itself does
// nothing, so that all of the time is the library's; "direct" is the call alone.
var successAtOnce = bench{
	id: "B11", title: "in-process call that succeeds at once, beside peers: ns and allocations", storeless: true, compared: true,
	run: func(ctx context.Context, s *session) error {
		return s.compare(ctx, successScenes())
	},
}

func successScenes() []scene {
	scenes := []scene{
		{name: "do", nanos: "<= 25", allocs: "<= 0", contenders: []contender{
			direct, outlastDo, failsafeRun, cenkaltiRetry, avastDo,
		}},
		{name: "value", nanos: "<= 25", allocs: "<= 0", contenders: []contender{
			outlastValue, failsafeGet, cenkaltiRetry, avastValue,
		}},
		{name: "deadline", contenders: []contender{
			outlastDeadline, failsafeDeadline, cenkaltiDeadline, avastDeadline,
		}},
		{name: "budget+breaker", nanos: "<= 80", allocs: "<= 0", contenders: []contender{
			outlastGuarded, failsafeGuarded,
		}},
		{name: "breaker", contenders: []contender{
			outlastRetryBreaker, failsafeRetryBreaker, avastGobreaker,
		}},
		{name: "breaker-alone", contenders: []contender{
			outlastBreaker, failsafeBreaker, gobreakerExecute,
		}},
	}
	for _, sc := range scenes[:len(scenes):len(scenes)] {
		sc.name, sc.parallel = sc.name+"/parallel", true
		scenes = append(scenes, sc)
	}
	return scenes
}
