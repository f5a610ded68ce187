package inspector

import "github.com/outlast-dev/outlast/inspect"

// Events is [inspect.Events].
type Events struct{ node *node }

func (es *Events) Listen(after string) (l inspect.EventListener, resumed bool) {
	return es.node.Feed.Listen(after)
}
