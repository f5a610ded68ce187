package retrygrpc_test

import (
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retrygrpc"
)

func ExampleDialOptions() {
	policy, err := retry.New(retry.Attempts(4), retry.Exponential(50*time.Millisecond, 2, 2*time.Second), retry.PerAttempt(time.Second))
	if err != nil {
		log.Fatal(err)
	}
	conn, err := grpc.NewClient("dns:///inventory:443", append(
		retrygrpc.DialOptions(policy, retrygrpc.IdempotentMethods("/shop.Inventory/Get", "/shop.Search/")),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
	)...)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	// client := shop.NewInventoryClient(conn)
	// client.Reserve(ctx, req, retrygrpc.Idempotent()) // for one call
}

func ExampleUnaryServer() {
	budget, err := retry.NewBudget(retry.BudgetConfig{})
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.ChainUnaryInterceptor(retrygrpc.UnaryServer(retrygrpc.RefuseOverBudget(budget))),
		grpc.ChainStreamInterceptor(retrygrpc.StreamServer(retrygrpc.RefuseOverBudget(budget))),
	)
	server.Stop()
}
