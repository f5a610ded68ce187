package main

import (
	"bufio"
	"strings"
)

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
