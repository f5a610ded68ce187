// Package retrypgx runs whole transactions of pgx under a [retry.Policy]: from BEGIN
// to COMMIT, the function between them included, because what a transaction has
// read is worth nothing once it has lost.
//
//	err := retrypgx.Tx(ctx, pool, policy, pgx.TxOptions{}, func(ctx context.Context, tx pgx.Tx) error {
//		…
//	})
//
// Until COMMIT is sent nothing of a transaction remains, so that conflicts, lost
// connections and timeouts before it are repeated without being declared
// idempotent. A COMMIT whose outcome nobody knows is repeated only if the policy or
// the call is [retry.Idempotent]; the error matches [ErrUnknownOutcome]. After a
// deadlock, a serialization failure or a lost connection the transaction is rolled
// back and repeated whatever the function makes of the error; [Forgive] makes an
// exception. The first real error is reported, not the "current transaction is
// aborted" (25P02) or the COMMIT turned ROLLBACK that came of it.
//
// The function may run several times. It must do nothing outside the transaction
// that may not be repeated, and start anew each time. It must not commit or roll
// back the transaction by itself; nested ones are its own.
//
// It is a package of its own so that users of database/sql, who have package
// retrysql, need no pgx.
//
// Stability: stable. Names and their meaning stay within a major version.
package retrypgx
