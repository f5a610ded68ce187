import { invalid } from "./errors.js"
import type { Draft } from "./types.js"
import { textOf, toWire } from "./wire.js"

/** What is used of a connection: that of `pg`, or that of `mysql2/promise`. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<any>
}

export interface SqlOptions {
  /** "mysql" is for MariaDB too. Needed where the connection is not one of `pg` or `mysql2/promise` itself. */
  database?: "postgresql" | "mysql"
  /** Where Outlast's tables are, of MySQL the database; else where the connection looks. */
  schema?: string
}

/**
 * Enqueues a task in the transaction that is open on a connection: it exists exactly if that commits, and starts within a
 * second then. Outlast's tables stand in the database, and the role of the connection may execute `outlast_enqueue`. A
 * payload that is a Uint8Array goes as it is. What is refused is an error of the driver: roll back then.
 */
export async function enqueueIn(connection: Queryable, draft: Draft, options: SqlOptions = {}): Promise<{ id: string; existing: boolean }> {
  const { payload, ...rest } = draft
  const values = [toWire(rest), payload === undefined ? null : payload instanceof Uint8Array ? Buffer.from(payload) : Buffer.from(textOf(payload, "payload"))]
  const mysql = (options.database ?? databaseOf(connection)) === "mysql"
  const name = `${prefix(options.schema, mysql ? "`" : '"')}outlast_enqueue`
  const answer = mysql
    ? (await connection.query(`CALL ${name}(?, ?)`, values))[0][0][0]
    : (await connection.query(`SELECT id::text, existing FROM ${name}($1::text::json, $2::bytea)`, values)).rows[0]
  return { id: String(answer.id), existing: Boolean(answer.existing) }
}

/** A connection of mysql2 prepares statements by `execute`; one of pg has none. */
function databaseOf(connection: object): "postgresql" | "mysql" {
  if ("execute" in connection) return "mysql"
  if ("connect" in connection || "release" in connection) return "postgresql"
  throw invalid("database", 'cannot be told from the connection: give "postgresql" or "mysql"')
}

function prefix(schema: string | undefined, quote: string): string {
  return schema === undefined ? "" : `${quote}${schema.replaceAll(quote, quote + quote)}${quote}.`
}
