package retrysql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // the driver sqlite3

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retrysql"
)

var errNoMoney = errors.New("not enough money")

// The whole transfer is repeated when it loses against another one.
func ExampleTx() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "bank")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite3", "file:"+dir+"/bank.db")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create table account (id int primary key, amount int); insert into account values (1, 100), (2, 0)"); err != nil {
		log.Fatal(err)
	}
	policy, err := retry.New(retry.Attempts(10), retry.Exponential(10*time.Millisecond, 2, time.Second), retry.PerAttempt(5*time.Second))
	if err != nil {
		log.Fatal(err)
	}

	transfer := func(amount int) error {
		return retrysql.Tx(ctx, db, policy, nil, func(ctx context.Context, tx *sql.Tx) error {
			var left int
			if err := tx.QueryRowContext(ctx, "select amount from account where id = 1").Scan(&left); err != nil {
				return err
			}
			if left < amount {
				return errNoMoney
			}
			_, err := tx.ExecContext(ctx, "update account set amount = amount + case id when 1 then -? else ? end", amount, amount)
			return err
		})
	}
	fmt.Println(transfer(60))
	fmt.Println(errors.Is(transfer(60), errNoMoney))
	// Output:
	// <nil>
	// true
}

// A COMMIT in doubt is the caller's to look into.
func ExampleErrUnknownOutcome() {
	var db *sql.DB
	var order string
	save := func(ctx context.Context, policy *retry.Policy) error {
		err := retrysql.Tx(ctx, db, policy, nil, func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "insert into orders (id) values (?)", order)
			return err
		})
		if errors.Is(err, retrysql.ErrUnknownOutcome) {
			// Nobody knows whether the order is there. Look for it, or declare the
			// call retry.Idempotent() if its own key makes a second insert harmless.
			return db.QueryRowContext(ctx, "select id from orders where id = ?", order).Scan(&order)
		}
		return err
	}
	_ = save
}
