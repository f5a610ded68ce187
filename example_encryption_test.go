package outlast_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sealed"
)

// Payloads are encrypted in the store, and nowhere else.
func ExampleWithEncryption() {
	ctx, backend, key := context.Background(), memory.New(), make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	client, err := outlast.Open(ctx, backend, outlast.WithEncryption(sealed.Keys{
		Secrets: map[string][]byte{"k1": key}, // 32 bytes
	}))
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	receipt, err := client.Enqueue(ctx, outlast.Draft{Type: "mail", Payload: []byte(`"secret"`)})
	if err != nil {
		log.Fatal(err)
	}
	tasks, _, err := backend.Find(ctx, store.Filter{IDs: []outlast.ID{receipt.Task.ID}}, store.Page{})
	if err != nil {
		log.Fatal(err)
	}
	seen, err := client.Inspector().Tasks.Get(ctx, receipt.Task.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Contains(tasks[0].Payload, []byte("secret")), string(seen.Payload))
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: false "secret"
}
