// Package retrysql runs whole transactions of database/sql under a [retry.Policy]:
// from BEGIN to COMMIT, the function between them included, because what a
// transaction has read is worth nothing once it has lost.
//
//	err := retrysql.Tx(ctx, db, policy, nil, func(ctx context.Context, tx *sql.Tx) error {
//		…
//	})
//
// What it adds to a loop around db.BeginTx:
//
//   - Until COMMIT is sent nothing of a transaction remains, so that conflicts, lost
//     connections and timeouts before it are repeated without being declared
//     idempotent.
//   - A COMMIT whose outcome nobody knows (a connection lost under it, SQLSTATE 40003
//     and 08007) is repeated only if the policy or the call is [retry.Idempotent].
//     The error matches [ErrUnknownOutcome].
//   - Errors cannot be overlooked. Drivers are watched: after a deadlock, a
//     serialization failure, a lock wait timeout or a lost connection no further
//     statement is sent, and the transaction is rolled back and repeated, whatever
//     the function makes of the error. MySQL rolls back a statement after 1205 and
//     ends the transaction after 1213, and would in both cases let the function go
//     on and commit a part of its work; so would SQLite after a statement that was
//     interrupted, which is why one that its own context ends counts as well.
//     [Forgive] makes an exception.
//   - The first real error is reported, not the "current transaction is aborted"
//     (25P02) or the failed COMMIT that came of it.
//   - The error of a rollback does not hide its cause, and a connection that could
//     not be cleaned does not go back to the pool.
//
// The function may run several times. It must do nothing outside the transaction
// that may not be repeated, and start anew each time. It must not commit or roll
// back by itself.
//
// For pgx without database/sql see package retrypgx.
//
// Stability: stable. Names and their meaning stay within a major version.
package retrysql
