import { enqueueIn } from "outlast"
import pg from "pg"

const db = new pg.Client(process.env["DATABASE_URL"])
await db.connect()
try {
  await db.query("BEGIN")
  await db.query("INSERT INTO orders (id) VALUES ($1)", [17])
  const task = await enqueueIn(db, { type: "greet", payload: { name: "Ada" }, dedupeKey: "order 17" })
  await db.query("COMMIT")
  console.log(task.id, task.existing)
} catch (error) {
  await db.query("ROLLBACK")
  throw error
} finally {
  await db.end()
}
