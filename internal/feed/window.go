package feed

import (
	"github.com/outlast-dev/outlast/inspect"
)

// mostObjects are told of in one page; of more, only their kinds.
const mostObjects = 200

// window gathers the changes of one page.
type window struct {
	tasks   []inspect.TaskEvent // a ring once it is full
	next    int                 // place of the next change in a full ring
	omitted map[string]int
	objects []inspect.ObjectEvent
	known   map[inspect.ObjectEvent]bool
}

func (w *window) add(t inspect.TaskEvent) {
	if len(w.tasks) < mostPage {
		w.tasks = append(w.tasks, t)
		return
	}
	if w.omitted == nil {
		w.omitted = map[string]int{}
	}
	w.omitted[w.tasks[w.next].Queue]++
	w.tasks[w.next] = t
	w.next = (w.next + 1) % mostPage
}

func (w *window) object(o inspect.ObjectEvent) {
	if len(w.objects) >= mostObjects {
		o = inspect.ObjectEvent{Kind: o.Kind}
	}
	if w.known[o] {
		return
	}
	if w.known == nil {
		w.known = map[inspect.ObjectEvent]bool{}
	}
	w.known[o] = true
	w.objects = append(w.objects, o)
}

// take empties the window into a page, nil if there is nothing.
func (w *window) take() *inspect.EventPage {
	if len(w.tasks) == 0 && len(w.objects) == 0 {
		return nil
	}
	page := &inspect.EventPage{Tasks: w.tasks, Omitted: w.omitted, Objects: w.objects}
	if w.next > 0 {
		page.Tasks = append(append(make([]inspect.TaskEvent, 0, len(w.tasks)), w.tasks[w.next:]...), w.tasks[:w.next]...)
	}
	*w = window{}
	return page
}
