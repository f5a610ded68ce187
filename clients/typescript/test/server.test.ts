import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { Client, ConflictError, DeniedError, InvalidError, newId, NotFoundError, UnavailableError, Worker, type Task } from "../src/index.js"
import { connect, later, needsServer, run, serve, until } from "./kit.js"

test("the calls of a client", needsServer, async () => {
  const client = connect(await serve())
  const draft = {
    id: newId(), type: "x", payload: { a: 1 }, queue: "default", delay: "10m", priority: 3, key: "k", shareKey: "s", policy: "default", maxAttempts: 4, timeout: 5000,
    ttl: "1h", metadata: { a: "b" }, fallback: { type: "f" }, onSuccess: { type: "s" }, onDead: { type: "d" },
  }
  const task = await client.enqueue(draft)
  assert.deepEqual([task.existing, task.state, task.payload, task.shareKey, task.maxAttempts, task.onDead], [false, "pending", { a: 1 }, "s", 4, { type: "d" }])
  assert.ok(task.runAt.getTime() > Date.now())
  assert.equal((await client.enqueue(draft)).existing, true)
  await assert.rejects(client.enqueue({ ...draft, payload: { a: 2 } }), (error) => error instanceof ConflictError && error.code === "id_conflict" && error.existing === task.id)
  const twin = await client.enqueue({ type: "x", dedupeKey: "d", delay: 60_000 })
  assert.equal((await client.enqueue({ type: "x", dedupeKey: "d", delay: 60_000 })).id, twin.id)
  await assert.rejects(client.get(newId()), (error) => error instanceof NotFoundError && !!error.requestId)
  await assert.rejects(client.enqueue({ type: "x", priority: 12 }), (error) => error instanceof InvalidError && error.fields[0]!.path === "priority")
  const [good, bad] = await client.batch([{ type: "x" }, { type: "x", priority: 12 }])
  assert.ok(good!.ok && !bad!.ok && bad!.error instanceof InvalidError)
  await assert.rejects(client.batch([{ type: "x" }, { type: "x", priority: 12 }], { atomic: true }), InvalidError)
  const signaled = await client.signal(task.id, "approval", { ok: true })
  assert.equal((await client.signal(task.id, "approval", { ok: true })).repeated, true)
  assert.ok(signaled.at instanceof Date)
  await assert.rejects(client.signal(task.id, "approval", { ok: false }), ConflictError)
  assert.equal((await client.cancel(task.id)).state, "canceled")
  const group = await client.taskGroups.create({ label: "l", callback: { type: "report" } })
  await client.batch([{ type: "x", group: group.id }, { type: "x", group: group.id }])
  assert.equal((await client.taskGroups.close(group.id)).state, "closed")
  assert.equal((await client.taskGroups.get(group.id)).members, 2)
})

test("through TLS, with an authority of one's own", needsServer, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "outlast-"))
  const [cert, key] = [join(dir, "cert.pem"), join(dir, "key.pem")]
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"], { stdio: "ignore" })
  const server = await serve(["--tls-cert", cert, "--tls-key", key])
  await assert.rejects(new Client({ server }).get(newId()), (error) => error instanceof UnavailableError && /certificate/.test(error.message))
  const client = new Client({ server, caFile: cert })
  t.after(() => client.close())
  const gate = later()
  const worker = new Worker(client, { wait: () => gate.promise }, { lease: "3s" })
  t.after(() => worker.stop())
  const ran = worker.run()
  const { id } = await client.enqueue({ type: "wait" })
  let before: Task | undefined
  await until("the thread has extended the lease, through TLS too", async () => {
    const task = await client.get(id)
    if (task.claim !== before?.claim) before = task
    return task.leaseUntil !== undefined && task.leaseUntil > (before.leaseUntil ?? task.leaseUntil)
  })
  gate.resolve()
  assert.equal((await client.wait(id)).state, "succeeded")
  worker.stop()
  await ran
})

test("a worker has a token and a release, and ends when the token is revoked", needsServer, async (t) => {
  const server = await serve()
  const make = async (role: string, headers = {}) => {
    const answer = await fetch(`${server}/v1/tokens`, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify({ name: role, role }) })
    return (await answer.json()) as { id: string; token: string }
  }
  const admin = await make("admin")
  const bearer = { Authorization: `Bearer ${admin.token}` }
  const token = await make("worker", bearer)
  const client = new Client({ server, token: admin.token })
  t.after(() => client.close())
  await assert.rejects(new Client({ server }).get(newId()), DeniedError)
  const worker = new Worker(new Client({ server, token: token.token }), { fine: () => "fine" }, { release: "5.1", lease: "1s", logger: { debug() {}, info() {}, warn() {}, error() {} } })
  t.after(() => worker.stop())
  const ran = worker.run()
  const { id } = await client.enqueue({ type: "fine" }, { wait: "2m" })
  const { attempts: [attempt] } = await client.attempts(id)
  assert.deepEqual([attempt!.release, attempt!.worker], ["5.1", worker.name])
  await fetch(`${server}/v1/tokens/${token.id}`, { method: "DELETE", headers: bearer })
  await assert.rejects(ran, DeniedError)
})

test("from the enqueue to the result, with steps, waits and failures", needsServer, async (t) => {
  const client = connect(await serve())
  let charges = 0
  const worker = new Worker(client, {
    async order(_, { step, sleep, awaitSignal, attempt }) {
      const charge = await step("charge", (of) => (of.compensate("refund", 1), ++charges))
      if (attempt === 1) throw Object.assign(new Error("the shop hung up"), { code: "ECONNRESET" })
      await sleep("a while", "5s")
      return { charge, approval: await awaitSignal("approval", { timeout: "1h", every: "1s" }) }
    },
    late: (_, { awaitSignal }) => awaitSignal("never", { timeout: 1 }),
    deep: () => JSON.parse("[".repeat(100) + "]".repeat(100)) as unknown,
    fine: () => "fine",
  })
  const ran = worker.run()
  t.after(() => worker.stop())
  const order = await client.enqueue({ type: "order", retry: { max_attempts: 3, backoff: { kind: "fixed", initial: "10ms" } } })
  const late = await client.enqueue({ type: "late" })
  const deep = await client.enqueue({ type: "deep" })
  const fine = await client.enqueue({ type: "fine" }, { wait: "2m" })
  assert.deepEqual([fine.state, fine.result], ["succeeded", "fine"])
  await client.signal(order.id, "approval", "yes")
  const done = await client.wait(order.id)
  assert.deepEqual([done.result, done.attempt, done.crashes, charges], [{ charge: 1, approval: "yes" }, 2, 0, 1])
  assert.equal(done.lastError!.category, "network")
  const { attempts } = await client.attempts(order.id)
  assert.deepEqual(attempts.filter(({ outcome }) => outcome !== "snoozed").map(({ outcome }) => outcome), ["failed", "succeeded"])
  assert.ok(attempts.some(({ outcome }) => outcome === "snoozed"))
  const { lastError } = await client.wait(late.id)
  assert.deepEqual([lastError!.type, lastError!.code, lastError!.category], ["signal", "timeout", "permanent"])
  assert.equal((await client.wait(deep.id)).lastError!.code, "bad_result")
  worker.stop()
  await ran
})

test("a worker that is killed costs no attempt", needsServer, async () => {
  const server = await serve()
  const client = connect(server)
  const file = join(mkdtempSync(join(tmpdir(), "outlast-")), "go")
  const first = run("./program.js", ["1s"], { OUTLAST_SERVER: server })
  const { id } = await client.enqueue({ type: "until", payload: { file } })
  await until("the task runs", async () => (await client.get(id)).state === "running")
  first.child.kill("SIGKILL")
  await first.end
  writeFileSync(file, "")
  const second = run("./program.js", [], { OUTLAST_SERVER: server })
  const done = await client.wait(id)
  assert.deepEqual([done.state, done.result, done.attempt], ["succeeded", "let go", 1], second.said())
  assert.ok(done.crashes >= 1)
  second.child.kill("SIGTERM")
  assert.equal(await second.end, 0)
})

test("a stop in the middle of a poll loses nothing", needsServer, async () => {
  const server = await serve()
  const client = connect(server)
  for (let round = 0; round < 2; round++) {
    const worker = run("./program.js", [], { OUTLAST_SERVER: server })
    await client.enqueue({ type: "greet", payload: { name: "Ada" } }, { wait: "2m" }) // so it polls
    const sent = client.batch(Array.from({ length: 40 }, () => ({ type: "greet", payload: { name: "Bob" } })))
    worker.child.kill("SIGTERM")
    assert.equal(await worker.end, 0, worker.said())
    const ids = (await sent).map((verdict) => verdict.ok ? verdict.id : assert.fail())
    const tasks = () => Promise.all(ids.map((id) => client.get(id)))
    await until("none is in hand", async () => (await tasks()).every(({ state }) => state !== "running"))
    const rest = run("./program.js", [], { OUTLAST_SERVER: server })
    await until("all have ended", async () => (await tasks()).every(({ state }) => state === "succeeded"))
    assert.ok((await tasks()).every(({ attempt, crashes }) => attempt === 1 && crashes === 0), "none waited for the end of its lease")
    rest.child.kill("SIGTERM")
    assert.equal(await rest.end, 0)
  }
})
