package main

import (
	"bufio"
	"strings"
)

// ask asks before what can be undone, where there is a terminal to ask on.
func (c *cli) ask(question string) error {
	if !terminal(c.in) || !terminal(c.messages) {
		return nil
	}
	return c.confirm(question)
}

// confirm asks before what cannot be undone. Without --yes, and with nobody
// to ask, it refuses.
func (c *cli) confirm(question string) error {
	if c.yes {
		return nil
	}
	if !terminal(c.in) || !terminal(c.messages) {
		return usage("this needs --yes, since there is no terminal to ask on (--dry-run only shows what would happen)")
	}
	c.say("%s Type yes to go on: ", question)
	line, err := bufio.NewReader(c.in).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "yes" {
		return usage("not confirmed, nothing was done")
	}
	return nil
}
