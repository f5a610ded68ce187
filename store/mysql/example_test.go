package mysql_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store/mysql"
)

// The store shares the application's pool, and makes its tables at the first
// start. The address is one of github.com/go-sql-driver/mysql; mysql.DSN makes it
// from a URL and adds what saves round trips.
func ExampleOpen() {
	ctx := context.Background()
	db, err := sql.Open("mysql", os.Getenv("DATABASE_DSN")) // user:password@tcp(host:3306)/database
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	store, err := mysql.Open(ctx, db)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	client, err := outlast.Open(ctx, store)
	if err != nil {
		log.Fatal(err)
	}
	outlast.Handle(client, "mail.send", func(_ context.Context, to string) error {
		fmt.Println("mail for", to)
		return nil
	})
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer client.Stop(ctx)

	done, err := client.Run(ctx, outlast.Draft{Type: "mail.send", Payload: []byte(`"ada@example.com"`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.State)
}

func ExampleDSN() {
	dsn, err := mysql.DSN("mysql://outlast@db.example.com/shop")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dsn)
	// Output: outlast@tcp(db.example.com:3306)/shop?charset=utf8mb4&clientFoundRows=true&multiStatements=false&parseTime=false&timeout=5s
}

func TestExamples(t *testing.T) {
	for _, settings := range []string{ // what applications have
		"?interpolateParams=true",
		"?parseTime=true&loc=Local&collation=utf8mb4_general_ci",
	} {
		t.Setenv("DATABASE_DSN", servertest.MariaDB(t)+settings)
		servertest.Example(t, ExampleOpen, "mail for ada@example.com\nsucceeded\n")
	}
}
