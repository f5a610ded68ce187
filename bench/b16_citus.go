package main

import "context"

// burnDownOnCitus: what a server costs that spreads the tables over several machines.
var burnDownOnCitus = bench{
	id: "B16", title: "the same as B1 on Citus: on the coordinator alone and distributed by lane, in turns; needs --citus", n: 100_000, slots: 10_000,
	store: onCitus, work: running, long: true,
	run: func(ctx context.Context, s *session) error {
		server, err := s.servers.onCitus(ctx)
		if err != nil {
			return err
		}
		n, rates, costs := s.tasks(), map[bool]float64{}, map[bool]float64{}
		var set settings
		for i := range 2 {
			distributed := (i+s.run)%2 == 0
			at, err := server.schema(ctx, distributed)
			if err != nil {
				return err
			}
			s.places = append(s.places, at)
			if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
				return err
			}
			if err := server.settle(ctx, at); err != nil {
				return err
			}
			used := server.cpu()
			took, tuned, err := s.burn(ctx, at, n, nodeOptions{slots: s.slotCount(), handle: succeed})
			if err != nil {
				return err
			}
			rates[distributed], costs[distributed], set = perSecond(n, took.wall), float64((server.cpu()-used).Microseconds())/float64(n), tuned
		}
		s.record("", rates[true], "tasks/s", n, "", set)
		s.record("undistributed", rates[false], "tasks/s", n, "", set)
		s.record("share", rates[true]/rates[false], "of undistributed", n, ">= 0.6", set)
		s.record("server-cpu", costs[true], "µs/task", n, "", set)
		s.record("undistributed-server-cpu", costs[false], "µs/task", n, "", set)
		return nil
	},
}
