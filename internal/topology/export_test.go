package topology

// LimitShare is a node's part of a queue's limit while its places do not go round.
func (v *View) LimitShare(queue, node string) int { return v.limitShare(v.Queues[queue], node) }
