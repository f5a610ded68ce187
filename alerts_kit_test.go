package outlast_test

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast"
)

// tells starts a client whose tasks of the types that [kit.dies] takes fail, and has a rule
// without a cool-down tell channels of their deaths.
func (k *kit) tells(rule string, channels ...string) {
	k.Helper()
	for _, name := range []string{"mail", "mail.send", "mail.list"} {
		outlast.Handle(k.client, name, failing)
	}
	k.start()
	k.deathRule(rule, "0s", channels...)
}

// deathRule tells channels of every death, with a cool-down.
func (k *kit) deathRule(rule, cooldown string, channels ...string) {
	k.Helper()
	text, err := json.Marshal(map[string]any{"name": rule, "on": "dead", "channels": channels, "cooldown": cooldown})
	if err != nil {
		k.Fatal(err)
	}
	k.putRule(string(text))
}

// dies lets a task of a type die at once, and what is told of it be sent.
func (k *kit) dies(taskType string) outlast.ID {
	k.Helper()
	return k.diesAs(outlast.Draft{Type: taskType})
}

func (k *kit) diesAs(d outlast.Draft) outlast.ID {
	k.Helper()
	once(&d)
	id := k.enqueue(d).ID
	k.after(2 * time.Second)
	return id
}
