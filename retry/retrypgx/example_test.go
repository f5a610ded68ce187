package retrypgx_test

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retrypgx"
)

// Serializable transactions are the simplest way to be right, if somebody repeats
// those that lose.
func ExampleTx() {
	book := func(ctx context.Context, pool *pgxpool.Pool, seat, guest string) error {
		policy, err := retry.New(retry.Attempts(10), retry.Exponential(10*time.Millisecond, 2, time.Second))
		if err != nil {
			return err
		}
		options := pgx.TxOptions{IsoLevel: pgx.Serializable}
		return retrypgx.Tx(ctx, pool, policy, options, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "update seats set guest = $2 where id = $1 and guest is null", seat, guest)
			return err
		})
	}
	_ = book
}
