package cli

import (
	"bufio"
	"strings"
)

// Ask asks before what can be undone, where there is a terminal to ask on.
func (c *Env) Ask(question string) error {
	if !Terminal(c.In) || !Terminal(c.Messages) {
		return nil
	}
	return c.Confirm(question)
}

// Confirm asks before what cannot be undone. Without --yes, and with nobody
// to ask, it refuses.
func (c *Env) Confirm(question string) error {
	if c.Yes {
		return nil
	}
	if !Terminal(c.In) || !Terminal(c.Messages) {
		return Usagef("there is no terminal to ask on: confirm with --yes")
	}
	c.Say("%s Type yes to continue: ", question)
	line, err := bufio.NewReader(c.In).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "yes" {
		return Usagef("not confirmed; nothing was done")
	}
	return nil
}
