package webhook_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/outlast-dev/outlast/client/webhook"
)

func ExampleVerifier_Read() {
	verifier, err := webhook.New("whsec_plJ3nmyCDGBKInavdOK15jsl") // from the environment
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		push, err := verifier.Read(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Println(push.ID, push.Attempt, string(push.Body))
	})

	answer := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(answer, httptest.NewRequest("POST", "/orders", nil))
	fmt.Println(answer.Code)
	// Output: 401
}
