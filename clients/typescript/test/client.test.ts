import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { Client, ConflictError, DeniedError, InvalidError, newId, NotFoundError, OutlastError, QueueFullError, UnavailableError } from "../src/index.js"
import { fromWire, milliseconds } from "../src/wire.js"
import { allOk, FakeServer, leased } from "./fake.js"

const fake = await FakeServer.start()
const client = new Client({ server: fake.url, token: " secret\n" })
after(() => (client.close(), fake.close()))

const tasks = () => fake.next("/v1/tasks")
const path = (id: string) => `/v1/tasks/${id}`

test("an id is a UUID of version 7 with the time in it", () => {
  const [a, b] = [newId(), newId()]
  assert.match(a, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.notEqual(a, b)
  assert.ok(Math.abs(Number.parseInt(a.replace("-", "").slice(0, 12), 16) - Date.now()) < 3_600_000)
})

test("all fields of a draft go by the names of the API", async () => {
  const enqueued = client.enqueue({
    type: "mail", payload: { toUser: "ada" }, queue: "q", delay: 1500, priority: 3, key: "k", shareKey: "s", dedupeKey: "d", dedupeWindow: "1h", policy: "p",
    retry: { max_attempts: 2 }, maxAttempts: 4, timeout: 0.5, deadline: new Date(0), ttl: "5m", metadata: { aB: "c" }, target: { url: "https://x" },
    fallback: { type: "f" }, onSuccess: { type: "s" }, onDead: { type: "d" }, alert: { when: "true" }, traceParent: "t", group: "g", runAt: "2026-01-01T00:00:00Z",
  })
  const got = await tasks()
  assert.equal(got.headers.authorization, "Bearer secret")
  const { id, ...rest } = got.body
  assert.match(id, /-7/)
  assert.deepEqual(rest, {
    type: "mail", payload: { toUser: "ada" }, queue: "q", delay: "1500ms", priority: 3, key: "k", share_key: "s", dedupe_key: "d", dedupe_window: "1h", policy: "p",
    retry: { max_attempts: 2 }, max_attempts: 4, timeout: "0.5ms", deadline: "1970-01-01T00:00:00.000Z", ttl: "5m", metadata: { aB: "c" }, target: { url: "https://x" },
    fallback: { type: "f" }, on_success: { type: "s" }, on_dead: { type: "d" }, alert: { when: "true" }, trace_parent: "t", group: "g", run_at: "2026-01-01T00:00:00Z",
  })
  got.json(201, leased({ payload: { to_user: 1 }, last_error: { at: "2026-11-20T10:00:00.000001Z", fingerprint: "f" }, metadata: { a_b: "c" }, steps: [{ name: "n", started_at: "2026-11-20T10:00:00Z", result: { x_y: 1 } }] }))
  const task = await enqueued
  assert.equal(task.existing, false)
  assert.deepEqual([task.payload, task.metadata, task.steps![0]!.result], [{ to_user: 1 }, { a_b: "c" }, { x_y: 1 }], "what callers gave keeps its names")
  assert.ok(task.createdAt instanceof Date && task.lastError!.at instanceof Date && task.steps![0]!.startedAt instanceof Date)
})

test("an enqueue whose answer was lost is repeated with the same id", async () => {
  const enqueued = client.enqueue({ type: "mail" })
  const first = await tasks()
  first.lose()
  const second = await tasks()
  assert.equal(second.body.id, first.body.id)
  second.text(200, "<html>a proxy says hello</html>")
  const third = await tasks()
  assert.deepEqual(third.body, first.body)
  third.json(200, leased())
  assert.equal((await enqueued).existing, true)
})

test("Retry-After is respected, within the time of the call", async () => {
  const enqueued = client.enqueue({ type: "mail" }, { timeout: "30s" })
  const got = await tasks()
  const told = process.hrtime.bigint()
  got.problem(503, "unavailable", { "Retry-After": "1" })
  const again = await tasks()
  assert.ok(process.hrtime.bigint() - told >= 990_000_000n, "it came back before it was asked to")
  again.json(201, leased())
  await enqueued

  const impatient = client.enqueue({ type: "mail" }, { timeout: "5s" })
  ;(await tasks()).problem(503, "unavailable", { "Retry-After": "60" })
  await assert.rejects(impatient, (error) => error instanceof UnavailableError && error.retryAfter === 60_000)
})

test("errors have classes, codes, fields and the request's id", async () => {
  for (const [status, code, kind] of [
    [400, "invalid", InvalidError], [413, "too_large", InvalidError], [404, "not_found", NotFoundError], [409, "conflict", ConflictError],
    [409, "dedupe_conflict", ConflictError], [409, "id_conflict", ConflictError], [429, "queue_full", QueueFullError], [401, "unauthenticated", DeniedError],
    [403, "denied", DeniedError], [429, "rate_limited", DeniedError], [500, "internal", OutlastError],
  ] as const) {
    const call = client.get("x")
    const got = await fake.next(path("x"))
    got.json(status, { status, code, title: "T", detail: "D", hint: "H", errors: [{ path: "p", message: "is bad" }], existing: "e", state: "dead", retry_after: "1.5s" }, { "X-Request-Id": "r" })
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof kind, code)
      assert.deepEqual(
        [error.code, error.status, error.title, error.detail, error.hint, error.fields, error.existing, error.state, error.requestId, error.retryAfter, error.message],
        [code, status, "T", "D", "H", [{ path: "p", message: "is bad" }], "e", "dead", "r", 1500, "D; p: is bad; H"])
      return true
    })
  }
})

test("a batch has a verdict for each task", async () => {
  const call = client.batch([{ type: "a", delay: "1s" }, { type: "" }, { type: "c" }], { atomic: false })
  const got = await fake.next("/v1/tasks/batch")
  assert.deepEqual(got.body.tasks.map((task: { type: string; id: string }) => [task.type, task.id.length]), [["a", 36], ["", 36], ["c", 36]])
  got.json(200, { results: [{ status: 201, id: "1" }, { status: 400, error: { status: 400, code: "invalid", title: "T", retry_after: "1s" } }, { status: 200, id: "3" }] })
  const [a, b, c] = await call
  assert.deepEqual([a, c], [{ ok: true, id: "1", existing: false }, { ok: true, id: "3", existing: true }])
  assert.ok(!b!.ok && b!.error instanceof InvalidError && b!.error.retryAfter === 1000)
})

test("a batch whose answer is short is no answer", async () => {
  let calls = 0
  fake.always.set("/v1/tasks/batch", (got) => (calls++, got.json(200, { results: [] })))
  await assert.rejects(client.batch([{ type: "a" }]), (error) => error instanceof OutlastError && error.code === "unexpected_answer")
  assert.equal(calls, 4)
})

test("a payload without a JSON form is refused here", async () => {
  const ring: unknown[] = []
  ring.push(ring)
  for (const payload of [1n, ring, Number.NaN, () => 1]) await assert.rejects(client.enqueue({ type: "x", payload }), InvalidError)
  await assert.rejects(client.enqueue({ type: "x", delay: "soon" }), InvalidError)
})

test("wait asks until the task has ended", async () => {
  const waited = client.wait("w")
  const asked = await fake.next(path("w"))
  assert.equal(asked.path, `${path("w")}?wait=30000ms`)
  asked.json(202, leased({ state: "running" }))
  ;(await fake.next(path("w"))).json(200, leased({ state: "succeeded", result: 7 }))
  assert.equal((await waited).result, 7)
  const enqueued = client.enqueue<number>({ type: "x" }, { wait: "10m" })
  const first = await tasks()
  assert.equal(first.path, "/v1/tasks?wait=30000ms")
  first.json(202, leased())
  const second = await tasks()
  assert.equal(second.body.id, first.body.id)
  second.json(200, leased({ state: "succeeded", result: 8 }))
  assert.equal((await enqueued).result, 8)
})

test("cancel, signal and groups", async () => {
  const plain = client.cancel("c")
  ;(await fake.next(path("c") + "/cancel")).lose()
  await assert.rejects(plain, UnavailableError, "a repeat would be refused")
  const undone = client.cancel("c", { compensate: true })
  const got = await fake.next(path("c") + "/cancel")
  assert.deepEqual(got.body, { compensate: true })
  got.json(200, leased({ state: "canceled" }))
  await undone
  const signaled = client.signal("c", "a b", { ok: true })
  const signal = await fake.next(path("c") + "/signals/a%20b")
  assert.deepEqual(signal.body, { ok: true })
  signal.json(200, { id: "c", name: "a b", at: "2026-11-20T10:00:00Z", state: "pending", woken: true })
  assert.equal((await signaled).woken, true)
  const group = client.taskGroups.create({ label: "l", callback: { type: "done" } })
  const made = await fake.next("/v1/task-groups")
  assert.match(made.body.id, /-7/)
  made.json(201, { id: made.body.id, state: "open", callback: { type: "done" }, members: 0, succeeded: 0, dead: 0, canceled: 0, created_at: "2026-11-20T10:00:00Z" })
  assert.ok((await group).createdAt instanceof Date)
  const closed = client.taskGroups.close("g")
  ;(await fake.next("/v1/task-groups/g/close")).json(200, { id: "g", state: "closed" })
  assert.equal((await closed).state, "closed")
})

test("a call ends with its signal", async () => {
  const aborter = new AbortController()
  const call = client.get("s", { signal: aborter.signal })
  await fake.next(path("s"))
  aborter.abort(new Error("enough"))
  await assert.rejects(call, /enough/)
})

test("workers' calls by their own names", async () => {
  const settled = client.settle([{ id: "a", claim: 1, outcome: "snoozed", retryAfter: "1s" }])
  const got = await fake.settle()
  assert.deepEqual(got.body, { results: [{ id: "a", claim: 1, outcome: "snoozed", retry_after: "1s" }] })
  allOk(got)
  assert.deepEqual(await settled, [{ id: "a", status: "ok" }])
})

test("address, token and authorities come from options, files and the environment", () => {
  const dir = mkdtempSync(join(tmpdir(), "outlast-"))
  const file = join(dir, "token")
  writeFileSync(file, "from file\n")
  const before = { ...process.env }
  try {
    Object.assign(process.env, { OUTLAST_SERVER: "https://env.example", OUTLAST_TOKEN: "from env", OUTLAST_TOKEN_FILE: "" })
    assert.deepEqual(new Client().address, { server: "https://env.example", token: "from env", userAgent: "outlast-node" })
    process.env["OUTLAST_TOKEN_FILE"] = file
    assert.equal(new Client().address.token, "from file")
    assert.equal(new Client({ token: "given" }).address.token, "given")
    assert.throws(() => new Client({ tokenFile: join(dir, "none") }), /tokenFile cannot be read/)
    assert.throws(() => new Client({ caFile: file }), /no certificate/)
    for (const server of ["127.0.0.1:7070", "ftp://x", "http://u@x", "nothing"]) assert.throws(() => new Client({ server }), InvalidError)
  } finally {
    process.env = before
    rmSync(dir, { recursive: true })
  }
})

test("durations and answers", () => {
  assert.deepEqual([250, "1.5s", "2h45m", "-1s", "1µs"].map((text) => milliseconds(text)), [250, 1500, 9_900_000, -1000, 0.001])
  for (const text of ["", "5", "1 s", "1x", Number.NaN]) assert.throws(() => milliseconds(text), InvalidError)
  assert.deepEqual(fromWire(null), null)
})
