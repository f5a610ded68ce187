package stats

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
)

// recently is the time that [Series.Recent] tells of.
const recently = 5 * time.Minute

// Recent is what happened in each of the queues in the last minutes, over all nodes, by name:
// whole minutes, or what this node remembers until one of them is over. A queue that was
// counted together with others is not in it.
func (s *Series) Recent(ctx context.Context, queues []string) (map[string]inspect.Point, error) {
	now := time.Now()
	s.flush(ctx)
	frames := recentFrames(queues, now.Truncate(coarse))
	if err := fill(ctx, s.SeriesConfig.Backend, frames...); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(frames, (*frame).told) {
		frames = recentFrames(queues, now.Truncate(fine))
		s.recall(frames...)
	}
	return recentPoints(frames), nil
}

// told reports whether anybody has told of the first step.
func (f *frame) told() bool { return f.points[0].nodes > 0 || f.points[0].mixed }

// recentFrames are a frame of one point for each queue.
func recentFrames(queues []string, to time.Time) []*frame {
	frames := make([]*frame, len(queues))
	for i := range queues {
		frames[i] = newFrame(&inspect.SeriesQuestion{From: to.Add(-recently), To: to, Step: recently, Queues: queues[i : i+1]})
	}
	return frames
}

func recentPoints(frames []*frame) map[string]inspect.Point {
	points := map[string]inspect.Point{}
	for _, f := range frames {
		if sum := &f.points[0]; sum.nodes > 0 && !sum.mixed {
			points[f.Queues[0]] = f.answer(false).Points[0]
		}
	}
	return points
}
