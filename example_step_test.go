package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
)

// The charge is on disk before the parcel is sent: the second attempt does not charge again.
func ExampleStep() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	bank := func(key string, cents int) (ChargeID, error) {
		fmt.Println("charging", cents)
		return "c-1", nil
	}
	place := outlast.Define[Order, string]("order.place", outlast.Interval(10*time.Millisecond))
	place.Handle(client, func(ctx context.Context, order Order) (string, error) {
		info, _ := outlast.Info(ctx)
		charge, err := outlast.Step(ctx, "charge", func(ctx context.Context) (ChargeID, error) {
			return bank(info.ID.String()+"/charge", order.Amount) // the key tells it what it was asked before
		})
		if err != nil {
			return "", err
		}
		return outlast.Step(ctx, "ship", func(ctx context.Context) (string, error) {
			if info.Attempt == 1 {
				return "", errors.New("the carrier does not answer")
			}
			return fmt.Sprint("shipped in attempt ", info.Attempt, ", paid by ", charge), nil
		})
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	fmt.Println(place.Run(ctx, client, Order{ID: "A-1", Amount: 100}))
	// Output:
	// charging 100
	// shipped in attempt 2, paid by c-1 <nil>
}

// Between both mails the task waits on disk, and has no slot and no goroutine. It might be
// three days as well, and be another process then.
func ExampleSleep() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	mail := func(text string) func(context.Context) (outlast.None, error) {
		return func(context.Context) (outlast.None, error) {
			fmt.Println("mail:", text)
			return outlast.None{}, nil
		}
	}
	greet := outlast.Define[string, outlast.None]("mail.greet")
	greet.Handle(client, outlast.NoResult(func(ctx context.Context, name string) error {
		if _, err := outlast.Step(ctx, "welcome", mail("welcome, "+name)); err != nil {
			return err
		}
		if err := outlast.Sleep(ctx, "a while", time.Second); err != nil {
			return err // it has not ended: the task is snoozed
		}
		_, err := outlast.Step(ctx, "tips", mail("tips for "+name))
		return err
	}))
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	_, err = greet.Run(ctx, client, "ada")
	fmt.Println(err)
	// Output:
	// mail: welcome, ada
	// mail: tips for ada
	// <nil>
}

// There is no flight for a trip whose hotel and car are booked: both are given back, what
// was booked last first.
func ExampleCompensate() {
	ctx := context.Background()
	client, err := outlast.Open(ctx, memory.New())
	if err != nil {
		log.Fatal(err)
	}
	var (
		trip     = outlast.Define[string, outlast.None]("trip.book")
		giveBack = outlast.Define[string, outlast.None]("trip.give_back")
		undone   = make(chan string)
	)
	giveBack.Handle(client, outlast.NoResult(func(_ context.Context, what string) error {
		undone <- what
		return nil
	}))
	trip.Handle(client, outlast.NoResult(func(ctx context.Context, city string) error {
		for _, what := range []string{"hotel", "car"} {
			_, err := outlast.Step(ctx, what, func(ctx context.Context) (outlast.None, error) {
				// What books it stands here.
				return outlast.None{}, outlast.Compensate(ctx, giveBack, what+" in "+city)
			})
			if err != nil {
				return err
			}
		}
		return outlast.GiveUp(errors.New("there is no flight"))
	}))
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	call, err := trip.Enqueue(ctx, client, "Oslo")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("given back:", <-undone)
	fmt.Println("given back:", <-undone)
	_, err = call.Wait(ctx)
	dead, _ := errors.AsType[*outlast.DeadError](err)
	fmt.Println(dead.Reason, "since", dead.Failure.Message)
	// Output:
	// given back: car in Oslo
	// given back: hotel in Oslo
	// rejected since there is no flight
}
