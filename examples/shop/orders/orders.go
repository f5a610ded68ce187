// Package orders is what the web server and the worker of the shop both import: what tasks
// there are, and none of what runs them.
package orders

import (
	"time"

	"github.com/outlast-dev/outlast"
)

// Order is what a customer has bought.
type Order struct {
	ID    string
	Cents int
}

// ChargeID is how the bank names a charge.
type ChargeID string

// Charge takes the money for an order, once however often it is asked to.
var Charge = outlast.Define[Order, ChargeID]("shop.charge", outlast.MaxAttempts(5), outlast.Timeout(time.Minute)).
	Dedupe(func(o Order) string { return o.ID })
