import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { connect, needsServer, run, serve, until } from "./kit.js"

const root = new URL("../../", import.meta.url)

test("every block of the README is a program of these tests", () => {
  const blocks = [...readFileSync(new URL("README.md", root), "utf8").matchAll(/```ts (\S+)\n([^]*?)```/g)]
  assert.deepEqual(blocks.map(([, name]) => name), ["enqueue.ts", "transaction.ts", "worker.ts", "webhook.ts", "handler.test.ts"])
  for (const [, name, text] of blocks) assert.equal(text, readFileSync(new URL(`test/readme/${name}`, root), "utf8"), name)
})

test("the how-to page shows parts of them", () => {
  const programs = ["enqueue.ts", "worker.ts", "webhook.ts", "handler.test.ts"].map((name) => readFileSync(new URL(`test/readme/${name}`, root), "utf8"))
  const blocks = [...readFileSync(new URL("../../docs/how-to/typescript.md", root), "utf8").matchAll(/```ts\n([^]*?)```/g)]
  assert.equal(blocks.length, 5)
  for (const [, text] of blocks) assert.ok(programs.some((program) => program.includes(text!)), text)
})

test("enqueue and worker", needsServer, async () => {
  const env = { OUTLAST_SERVER: await serve() }
  const worker = run("./readme/worker.js", [], env)
  const producer = run("./readme/enqueue.js", [], env)
  assert.equal(await producer.end, 0, producer.said())
  assert.match(producer.said(), /^succeeded Hello Ada\naccepted\n.*12.*\n$/)
  const order = await connect(env.OUTLAST_SERVER).enqueue({ type: "order", payload: { id: "A-17", cents: 100 } }, { wait: "2m" })
  assert.deepEqual(order.result, { key: "charge/A-17" })
  worker.child.kill("SIGTERM")
  assert.equal(await worker.end, 0, worker.said())
})

test("webhook", needsServer, async () => {
  const [old, secret] = [0, 1].map(() => `whsec_${randomBytes(32).toString("base64")}`) as [string, string]
  const server = await serve(["--allow-target", "127.0.0.0/8", "--target-secret-env", "127.0.0.1=SECRET"], { SECRET: secret })
  const receiver = run("./readme/webhook.js", [], { PORT: "0", WEBHOOK_SECRETS: `${old} ${secret}` })
  const port = () => /port: (\d+)/.exec(receiver.said())?.[1]
  await until("it listens", () => port() !== undefined)
  const task = await connect(server).enqueue({ target: { url: `http://127.0.0.1:${port()}/` }, payload: { event: "order.paid" } }, { wait: "2m" })
  assert.deepEqual([task.state, task.result], ["succeeded", { ok: true }], receiver.said())
  await until("it has said so", () => receiver.said().includes("order.paid, attempt 1"))
})
