import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { after, before, test } from "node:test"
import mysql from "mysql2/promise"
import pg from "pg"
import { enqueueIn, InvalidError, NotFoundError, Worker, type Client, type Draft, type Queryable } from "../src/index.js"
import { binary, connect, run, serve } from "./kit.js"

const [postgres, mariadb] = [process.env["OUTLAST_TEST_POSTGRES"], process.env["OUTLAST_TEST_MARIADB"]]
const needsDatabases = binary && postgres && mariadb ? {} : { skip: "OUTLAST_TEST_POSTGRES and OUTLAST_TEST_MARIADB name no servers" }
const name = `outlast_test_${randomBytes(8).toString("hex")}`

/** A database of its own with a server of Outlast on it, and a connection of a program. */
interface Base {
  kind: string
  url: string
  schema: string
  client: Client
  connection: Queryable
  close(): Promise<void>
}

const bases: Base[] = []

before(async () => {
  if (needsDatabases.skip) return
  const admin = new pg.Client(postgres)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const url = new URL(postgres!)
  url.pathname = name
  const ofPostgres = { kind: "postgresql", url: url.href, schema: "public", client: connect(await serve(["--store", url.href])) }
  const connection = new pg.Client(url.href)
  await connection.connect()
  bases.push({ ...ofPostgres, connection, close: async () => {
    await connection.end()
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  } })

  const [, user, host, port] = /(.*)@tcp\((.*):(\d+)\)/.exec(mariadb!)!
  const of = await mysql.createConnection({ host: host!, port: Number(port), user: user! })
  await of.query(`CREATE DATABASE ${name}`)
  const store = `mysql://${user}@${host}:${port}/${name}`
  const client = connect(await serve(["--store", store]))
  await of.query(`USE ${name}`)
  bases.push({ kind: "mysql", url: store, schema: name, client, connection: of, close: async () => {
    await of.query(`DROP DATABASE ${name}`)
    await of.end()
  } })
})

after(async () => {
  for (const base of bases) await base.close()
})

for (const at of [0, 1]) {
  const kind = ["postgresql", "mysql"][at]!
  test(`a transaction decides: ${kind}`, needsDatabases, async () => {
    const { client, connection } = bases[at]!
    const draft: Draft = { type: "x", payload: { é: ["\0", 1.5] }, dedupeKey: "d", key: "k", delay: 60_000, metadata: { a: "é" } }
    await connection.query("START TRANSACTION", [])
    const gone = await enqueueIn(connection, draft)
    await connection.query("ROLLBACK", [])
    await assert.rejects(client.get(gone.id), NotFoundError)
    await connection.query("START TRANSACTION", [])
    const made = await enqueueIn(connection, draft)
    assert.deepEqual(await enqueueIn(connection, draft), { id: made.id, existing: true })
    await connection.query("COMMIT", [])
    const found = await client.get(made.id)
    assert.deepEqual([made.existing, found.payload, found.key, found.metadata], [false, draft.payload, "k", { a: "é" }])
    const again = await client.enqueue(draft)
    assert.deepEqual([again.id, again.existing], [made.id, true])
  })

  test(`it runs: ${kind}`, needsDatabases, async () => {
    const { client, connection } = bases[at]!
    const worker = new Worker(client, { greet: (who: string) => `Hello ${who}` })
    const running = worker.run()
    await connection.query("START TRANSACTION", [])
    const { id } = await enqueueIn(connection, { type: "greet", payload: "Ada" })
    await connection.query("COMMIT", [])
    assert.equal((await client.wait(id, { timeout: "2m" })).result, "Hello Ada")
    worker.stop()
    await running
  })

  test(`refusals, bytes and schemas: ${kind}`, needsDatabases, async () => {
    const { connection, schema } = bases[at]!
    for (const [draft, words] of [[{ type: "x", priority: 12 }, /priority: 12 is outside 0 to 9/], [{ type: "x", retry: {} }, /retry: /]] as const) {
      await connection.query("START TRANSACTION", [])
      await assert.rejects(enqueueIn(connection, draft), words)
      await connection.query("ROLLBACK", [])
    }
    await connection.query("START TRANSACTION", [])
    await enqueueIn(connection, { type: "bytes", payload: new Uint8Array([255, 0, 37]) }, { schema, database: kind as "mysql" })
    const found = await connection.query("SELECT payload FROM outlast_task WHERE type = 'bytes'", [])
    assert.deepEqual([...((at === 0 ? found.rows : found[0])[0].payload as Buffer)], [255, 0, 37])
    await connection.query("ROLLBACK", [])
    await assert.rejects(enqueueIn(connection, { type: "x" }, { schema: 'no such "`' }), /no such/)
  })
}

test("the program of the README", needsDatabases, async () => {
  const { client, connection, url } = bases[0]!
  await connection.query("CREATE TABLE orders (id integer)", [])
  const program = run("./readme/transaction.js", [], { DATABASE_URL: url })
  assert.equal(await program.end, 0, program.said())
  const [id, existing] = program.said().trim().split(" ") as [string, string]
  assert.deepEqual([existing, (await client.get(id)).payload], ["false", { name: "Ada" }])
})

test("a connection whose database is not known", async () => {
  const said: unknown[][] = []
  const answers: Record<string, unknown> = { C: [[[{ id: "i", existing: 1 }], {}]], S: { rows: [{ id: "i", existing: false }] } }
  const connection = { query: async (...call: [string, unknown[]]) => (said.push(call), answers[call[0][0]!]) }
  await assert.rejects(enqueueIn(connection, { type: "x" }), (error) => error instanceof InvalidError && error.fields[0]!.path === "database")
  await assert.rejects(enqueueIn(connection, { type: "x", payload: 1n }, { database: "mysql" }), (error) => error instanceof InvalidError && error.fields[0]!.path === "payload")
  assert.deepEqual(await enqueueIn(connection, { type: "x", payload: null }, { database: "mysql", schema: "a`b" }), { id: "i", existing: true })
  assert.deepEqual(await enqueueIn(connection, { type: "x" }, { database: "postgresql", schema: 'a"b' }), { id: "i", existing: false })
  assert.deepEqual(said, [
    ["CALL `a``b`.outlast_enqueue(?, ?)", ['{"type":"x"}', Buffer.from("null")]],
    ['SELECT id::text, existing FROM "a""b".outlast_enqueue($1::text::json, $2::bytea)', ['{"type":"x"}', null]],
  ])
})
