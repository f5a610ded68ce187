package outlast_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
)

// What an alert is about is one step away for who knows where the console is.
func TestAlertsLinkToTheConsole(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"": "", "https://retry.example.com": "https://retry.example.com/#/tasks/"} {
		box := &inbox{}
		virtually(t, func(k *kit) {
			outlast.Handle(k.client, "mail", failing)
			k.start()
			k.putRule(`{"name": "exhausted", "on": "dead", "channels": ["box"]}`)
			d := outlast.Draft{Type: "mail"}
			once(&d)
			id := k.enqueue(d).ID.String()
			k.after(time.Minute)
			if want != "" {
				want += id
			}
			if told := box.of("exhausted"); len(told) != 1 || told[0].OpenLink() != want || (told[0].SilenceLink() == "") != (want == "") {
				t.Errorf("at %q: %+v, want %s", address, told, want)
			}
		}, outlast.WithAlertFunc("box", box.send), outlast.WithPublicURL(address))
	}
	if _, err := outlast.Open(t.Context(), memory.New(), outlast.WithPublicURL("retry.example.com")); err == nil {
		t.Error("an address without a scheme")
	}
}
