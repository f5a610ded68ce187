import assert from "node:assert/strict"
import { once } from "node:events"
import { after, test } from "node:test"
import { Cancel, CanceledError, Client, GiveUp, LeaseLostError, RetryAfter, Snooze, StoppingError, Worker, type Context, type Handler, type Logger, type WorkerOptions } from "../src/index.js"
import { allOk, FakeServer, leased, type Body, type Got } from "./fake.js"
import { later } from "./kit.js"

const fakes: FakeServer[] = []
after(() => fakes.forEach((fake) => fake.close()))

async function cast(handlers: Record<string, Handler>, options: WorkerOptions = {}) {
  const fake = await FakeServer.start()
  fakes.push(fake)
  const logged: string[] = []
  const log = (message: string, fields?: object) => logged.push(`${message} ${JSON.stringify(fields)}`)
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  const client = new Client({ server: fake.url, tryTimeout: "5s" })
  const worker = new Worker(client, handlers, { logger, name: "w", ...options })
  const ran = worker.run()
  ran.catch(() => {})
  return {
    fake, worker, ran, logged,
    /** Gives tasks to the poll that waits. */
    async give(...tasks: object[]) {
      const poll = await fake.poll()
      poll.json(200, { tasks })
      return poll
    },
    /** Stops the worker, whose poll is answered with nothing. */
    async stop() {
      worker.stop()
      fake.always.set("/v1/workers/poll", (got) => got.json(200, { tasks: [] }))
      void fake.poll().then((got) => got.json(200, { tasks: [] }))
      await ran
    },
  }
}

test("a handler gets its task, and its result is settled", async () => {
  let context!: Context
  const c = await cast({ work: (payload: { n: number }, given) => ((context = given), { twice: payload.n * 2 }) }, { release: "5.1", queues: ["q"], concurrency: 3 })
  const task = leased({ payload: { n: 4 }, attempt: 2, attempt_ends: "2030-01-01T00:00:10Z", lease_until: "2030-01-01T00:00:30Z", metadata: { a: "b" } })
  const poll = await c.give(task)
  assert.deepEqual(poll.body, { worker: "w", queues: ["q"], types: ["work"], max: 3, wait: "10000ms", lease: "30000ms", release: "5.1" })
  const settle = await c.fake.settle()
  assert.deepEqual(settle.body, { results: [{ id: task.id, claim: task.claim, outcome: "succeeded", result: { twice: 8 } }] })
  assert.deepEqual([context.id, context.attempt, context.task.metadata], [task.id, 2, { a: "b" }])
  const left = context.deadline!.getTime() - Date.now()
  assert.ok(left <= 10_000, "the deadline counts from the lease, whatever the clock of the server says")
  allOk(settle)
  await c.stop()
})

test("what a handler throws says what follows", async () => {
  class OrderError extends Error {}
  const thrown: [unknown, Body][] = [
    [new OrderError("no"), { outcome: "failed", error: { message: "no", type: "OrderError" } }],
    [Object.assign(new Error("hung up"), { code: "ECONNRESET" }), { outcome: "failed", error: { message: "hung up", type: "ECONNRESET", code: "ECONNRESET" } }],
    [new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) }), { outcome: "failed", error: { message: "fetch failed: refused", type: "ECONNREFUSED", code: "ECONNREFUSED" } }],
    [new RetryAfter("5s", "busy"), { outcome: "failed", retry_after: "5s", error: { message: "busy" } }],
    [new RetryAfter(-1), { outcome: "failed", retry_after: "0s", error: { message: "try again" } }],
    [new Snooze("-2ms"), { outcome: "snoozed", retry_after: "0s" }],
    [new Snooze(2500), { outcome: "snoozed", retry_after: "2500ms" }],
    [new GiveUp("refused", { cause: new RangeError("an order has no number") }), { outcome: "dead", error: { message: "refused: an order has no number", type: "RangeError" } }],
    [new Cancel("gone"), { outcome: "canceled", error: { message: "gone" } }],
    ["a text", { outcome: "failed", error: { message: "a text" } }],
    [new Error("a\0b\ud800"), { outcome: "failed", error: { message: "a\ufffdb\ufffd", type: "Error" } }],
    [new Snooze(Infinity), { outcome: "failed", error: { category: "permanent", type: "BadResultError", code: "bad_result", message: "how the attempt ended cannot be told: delay is Infinity, which is no number of milliseconds" } }],
    [Object.create(null), { outcome: "failed", error: { message: "an error that cannot be printed", type: "Error" } }],
  ]
  const c = await cast({ work: (n: number) => { throw thrown[n]![0] } })
  for (const [n, [, want]] of thrown.entries()) {
    await c.give(leased({ payload: n }))
    const settle = await c.fake.settle()
    const { id: _id, claim: _claim, ...got } = settle.body.results[0]
    delete got.error?.stack
    assert.deepEqual(got, want)
    allOk(settle)
  }
  await c.stop()
})

test("a result that cannot be kept fails its own task and no other", async () => {
  const ring: unknown[] = []
  ring.push(ring)
  const bad: unknown[] = ["x".repeat(64 << 10), 1n, ring, { n: Number.NaN }, () => 1]
  const c = await cast({ work: (n: number) => bad[n], fine: () => "fine" })
  await c.give(...bad.flatMap((_, n) => [leased({ payload: n }), leased({ type: "fine" })]))
  const results: Body[] = []
  while (results.length < 2 * bad.length) {
    const settle = await c.fake.settle()
    results.push(...settle.body.results)
    allOk(settle)
  }
  assert.equal(results.filter((one) => one.outcome === "succeeded" && one.result === "fine").length, bad.length)
  const failures = results.filter((one) => one.outcome === "failed")
  assert.deepEqual(failures.map((one) => [one.error.category, one.error.code]), bad.map(() => ["permanent", "bad_result"]))
  assert.match(failures[0].error.message, /65538 bytes/)
  await c.stop()
})

test("of a batch that is refused only the bad item fails", async () => {
  const c = await cast({ work: (n: number) => n })
  const tasks = [0, 1, 2, 3, 4].map((n) => leased({ payload: n }))
  const bad = (one: Body) => one.result === 3
  const settled = new Map<string, Body>()
  let refusals = 0
  const done = later()
  c.fake.always.set("/v1/workers/settle", (got) => {
    if (got.body.results.length > 3) return refusals++, got.text(413, "<html>") // of a proxy
    if (got.body.results.some(bad)) return refusals++, got.problem(400, "invalid")
    for (const one of got.body.results) settled.set(one.id, one)
    allOk(got)
    if (settled.size === tasks.length) done.resolve()
  })
  await c.give(...tasks)
  await done.promise
  assert.ok(refusals >= 2)
  assert.deepEqual(tasks.map(({ id }) => settled.get(id).outcome), ["succeeded", "succeeded", "succeeded", "failed", "succeeded"])
  assert.equal(settled.get(tasks[3]!.id).error.code, "bad_result")
  await c.stop()
})

test("a settlement without an answer is repeated as it stands", async () => {
  const c = await cast({ work: () => "done" })
  await c.give(leased())
  const first = await c.fake.settle()
  first.lose()
  const second = await c.fake.settle()
  second.text(200, "<html>")
  const third = await c.fake.settle()
  third.problem(503, "unavailable")
  const fourth = await c.fake.settle()
  fourth.problem(429, "too_busy", { "Retry-After": "0" })
  const fifth = await c.fake.settle()
  fifth.text(404, "404 page not found")
  const sixth = await c.fake.settle()
  sixth.problem(404, "not_found")
  const seventh = await c.fake.settle()
  for (const again of [second, third, fourth, fifth, sixth, seventh]) assert.deepEqual(again.body, first.body)
  allOk(seventh)
  await c.stop()
})

test("a settlement is given up once its lease is certainly over", async () => {
  const c = await cast({ work: () => "done" }, { lease: "1s" })
  c.fake.always.set("/v1/workers/settle", (got) => got.lose())
  c.fake.always.set("/v1/workers/extend", (got) => got.lose())
  await c.give(leased())
  const polls = [await c.fake.poll()] // while it settles
  while (!c.logged.some((line) => line.startsWith("settle.lost"))) {
    polls.at(-1)!.json(200, { tasks: [] })
    polls.push(await c.fake.poll())
  }
  polls.at(-1)!.json(200, { tasks: [] })
  await c.stop()
})

test("a stale claim is dropped and logged", async () => {
  const c = await cast({ work: () => 1 })
  await c.give(leased())
  const settle = await c.fake.settle()
  settle.json(200, { results: [{ id: settle.body.results[0].id, status: "stale_claim" }] })
  await c.stop()
  assert.ok(c.logged.some((line) => line.startsWith("settle.refused") && line.includes("stale_claim")))
})

test("it polls for as many as it has room for", async () => {
  const gate = later()
  const c = await cast({ work: () => gate.promise }, { concurrency: 3 })
  const first = await c.give(leased(), leased())
  const second = await c.give(leased())
  assert.deepEqual([first.body.max, second.body.max], [3, 1])
  gate.resolve()
  c.fake.always.set("/v1/workers/settle", allOk)
  const third = await c.fake.poll()
  assert.ok(third.body.max >= 1)
  third.json(200, { tasks: [] })
  await c.stop()
})

test("leases are extended while a handler keeps the event loop busy", async () => {
  const server = await FakeServer.start()
  fakes.push(server)
  server.close() // another one, in a process of its own: the loop of this one is busy
  const { fork } = await import("node:child_process")
  const child = fork(new URL("./busy.server.js", import.meta.url))
  const [url] = (await once(child, "message")) as [string]
  const extensions = new Int32Array(new SharedArrayBuffer(4))
  const counter = new (await import("node:worker_threads")).Worker(new URL("./busy.count.js", import.meta.url), { workerData: { url, extensions } })
  const client = new Client({ server: url })
  const worker = new Worker(client, {
    work: () => {
      while (Atomics.load(extensions, 0) < 3) Atomics.wait(extensions, 0, Atomics.load(extensions, 0)) // nothing else runs in this thread
      worker.stop()
      return "kept"
    },
  }, { lease: "1s" })
  await worker.run()
  const settled = (await (await fetch(`${url}/settled`)).json()) as Body
  assert.deepEqual(settled.map((one: Body) => [one.outcome, one.result]), [["succeeded", "kept"]])
  await counter.terminate()
  child.kill()
})

test("progress goes with an extension, and progress that is refused does not cost the lease", async () => {
  const gate = later()
  const c = await cast({ work: (_, context) => (context.progress({ done: 0.5 }), gate.promise) }, { lease: "3s" })
  await c.give(leased())
  let first = await c.fake.extend()
  for (; !("progress" in first.body.items[0]); first = await c.fake.extend()) allOk(first) // the thread may be slow to begin
  assert.deepEqual(first.body.items[0].progress, { done: 0.5 })
  assert.equal(first.body.lease, "3000ms")
  first.text(404, "404 page not found") // which says nothing about it
  const again = await c.fake.extend()
  assert.deepEqual(again.body.items[0].progress, { done: 0.5 })
  again.problem(400, "invalid")
  const second = await c.fake.extend()
  assert.equal("progress" in second.body.items[0], false)
  allOk(second)
  c.fake.always.set("/v1/workers/extend", allOk)
  c.fake.always.set("/v1/workers/settle", allOk)
  gate.resolve()
  await c.stop()
})

test("a cancel aborts the signal, and the task ends as canceled", async () => {
  const c = await cast({ work: (_, { signal }) => once(signal, "abort").then(() => { throw signal.reason }) }, { lease: "3s" })
  c.fake.always.set("/v1/workers/extend", (got) => got.json(200, { results: [{ id: got.body.items[0].id, status: "canceled" }] }))
  await c.give(leased())
  const settle = await c.fake.settle()
  assert.deepEqual([settle.body.results[0].outcome, settle.body.results[0].error.type], ["canceled", CanceledError.name])
  allOk(settle)
  await c.stop()
})

test("a lease that is lost aborts the signal, and costs no attempt", async () => {
  let reason: unknown
  const c = await cast({ work: (_, { signal }) => once(signal, "abort").then(() => { throw (reason = signal.reason) }) }, { lease: "1s" })
  c.fake.always.set("/v1/workers/extend", (got) => got.lose())
  await c.give(leased())
  const settle = await c.fake.settle()
  assert.ok(reason instanceof LeaseLostError)
  assert.equal(settle.body.results[0].outcome, "released")
  settle.json(200, { results: [{ id: settle.body.results[0].id, status: "stale_claim" }] })
  await c.stop()
})

test("how a task ends is dropped once the server has said that it is not ours", async () => {
  const c = await cast({
    deaf: (_, { signal }) => once(signal, "abort").then(() => "done all the same"),
    step: (_, { step }) => step("s", () => 1).then(() => assert.fail("it went on")),
    fine: () => "fine",
  }, { lease: "12s", concurrency: 1 })
  await c.give(leased({ type: "deaf" }))
  const extend = await c.fake.extend()
  extend.json(200, { results: [{ id: extend.body.items[0].id, status: "stale_claim" }] })
  await c.give(leased({ type: "step" })) // there is room again
  ;(await c.fake.steps()).json(200, { results: [{ status: "not_found" }] })
  const last = leased({ type: "fine" })
  await c.give(last)
  const settle = await c.fake.settle()
  assert.deepEqual(settle.body.results, [{ id: last.id, claim: last.claim, outcome: "succeeded", result: "fine" }])
  allOk(settle)
  await c.stop()
  const dropped = c.logged.filter((line) => line.startsWith("settle.dropped"))
  assert.deepEqual(dropped.map((line) => /"outcome":"(\w+)"/.exec(line)![1]), ["succeeded", "released"])
})

test("a task that is given twice under one claim runs once", async () => {
  let ran = 0
  const c = await cast({ work: () => ++ran }, { concurrency: 5 })
  const task = leased()
  await c.give(task, task)
  await c.give(task, leased())
  const poll = await c.fake.poll()
  assert.equal(poll.body.max, 3)
  poll.json(200, { tasks: [] })
  const settle = await c.fake.settle()
  c.fake.always.set("/v1/workers/settle", allOk)
  allOk(settle)
  await c.stop()
  assert.equal(ran, 2)
})

test("a task that comes again under a new claim is an attempt of its own", async () => {
  const reasons = new Map<number, unknown>()
  const c = await cast({ work: (_, { task, signal }) => once(signal, "abort").then(() => { throw (reasons.set(task.claim, signal.reason), signal.reason) }) }, { lease: "6s", concurrency: 2 })
  const task = leased({ claim: 1 })
  await c.give(task)
  await c.give({ ...task, claim: 2 })
  const canceled = later()
  c.fake.always.set("/v1/workers/extend", (got) => got.json(200, { results: got.body.items.map(({ id, claim }: Body) => {
    if (claim === 2 && reasons.has(1)) canceled.resolve()
    return { id, status: claim === 1 ? "stale_claim" : reasons.has(1) ? "canceled" : "ok" }
  }) }))
  c.fake.always.set("/v1/workers/settle", allOk)
  await canceled.promise
  while (!reasons.has(2)) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual([reasons.get(1), reasons.get(2)].map((reason) => (reason as Error).name), ["LeaseLostError", "CanceledError"])
  await c.stop()
})

test("the clock of the server means nothing: leases count from before the poll", async () => {
  const gate = later()
  const c = await cast({ work: (_, { signal }) => gate.promise.then(() => signal.aborted) }, { lease: "3s" })
  const poll = await c.fake.poll()
  assert.equal(poll.body.wait, "1000ms")
  c.fake.always.set("/v1/workers/extend", (got) => (allOk(got), gate.resolve())) // neither lost at once, nor left alone
  poll.json(200, { tasks: [leased({ lease_until: "1999-01-01T00:00:00Z", started_at: "2099-01-01T00:00:00Z" })] })
  const settle = await c.fake.settle()
  assert.equal(settle.body.results[0].result, false)
  allOk(settle)
  await c.stop()
})

test("a task whose poll was answered when its lease may be over is not begun", async () => {
  const c = await cast({ work: () => assert.fail("it must not begin") }, { lease: "1s" })
  const poll = await c.fake.poll()
  const got = process.hrtime.bigint()
  while (process.hrtime.bigint() - got < 1_000_000_000n) await new Promise((resolve) => setTimeout(resolve, 50)) // a lease, by the worker's clock
  c.fake.always.set("/v1/workers/extend", allOk)
  poll.json(200, { tasks: [leased()] })
  const settle = await c.fake.settle()
  assert.equal(settle.body.results[0].outcome, "released")
  allOk(settle)
  await c.stop()
})

test("the time of an attempt ends it, by times of the server alone", async () => {
  const c = await cast({ work: (_, { signal }) => once(signal, "abort").then(() => { throw signal.reason }) })
  await c.give(leased({ lease_until: "2030-01-01T00:00:30Z", attempt_ends: "2030-01-01T00:00:00.050Z" }))
  const settle = await c.fake.settle()
  assert.deepEqual([settle.body.results[0].outcome, settle.body.results[0].error.category], ["failed", "timeout"])
  allOk(settle)
  await c.stop()
})

test("a poll that fails is made again, whatever came instead of an answer", async () => {
  const c = await cast({ work: () => 1 })
  const answers: ((got: Got) => void)[] = [
    (got) => got.lose(), (got) => got.text(200, "hello"), (got) => got.json(200, { jobs: [] }), (got) => got.problem(503, "unavailable", { "Retry-After": "0" }),
    (got) => got.problem(429, "slow_down"), (got) => got.text(404, "no such site"), (got) => got.text(502, "bad gateway"), (got) => got.problem(500, "internal"),
    (got) => got.json(200, { tasks: [{ id: 7 }, null, leased()] }), // of which one is a task
  ]
  for (const answer of answers) {
    answer(await c.fake.poll())
    if (answer !== answers.at(-1)) await c.give() // so that its pauses do not grow
  }
  const settle = await c.fake.settle()
  assert.equal(settle.body.results.length, 1)
  allOk(settle)
  await c.stop()
})

test("a token that is not good ends the worker", async () => {
  const c = await cast({ work: () => 1 })
  ;(await c.fake.poll()).problem(401, "unauthenticated")
  await assert.rejects(c.ran, /unauthenticated/)
  const d = await cast({ work: () => 1 })
  await d.give(leased())
  ;(await d.fake.settle()).problem(403, "denied")
  void d.fake.poll().then((got) => got.json(200, { tasks: [] }))
  await assert.rejects(d.ran, /denied/)
})

test("a poll that the server refuses ends the worker", async () => {
  for (const [status, code] of [[400, "invalid"], [405, "method_not_allowed"]] as const) {
    const c = await cast({ work: () => 1 })
    ;(await c.fake.poll()).problem(status, code)
    await assert.rejects(c.ran, new RegExp(code))
  }
  const c = await cast({ work: () => 1 })
  ;(await c.fake.poll()).text(401, "<html>")
  await assert.rejects(c.ran, /401/)
})

test("a stop in the middle of a poll hangs up, and hands back what comes", async () => {
  const c = await cast({ work: () => assert.fail("it must not begin") })
  const poll = await c.fake.poll()
  c.worker.stop()
  await poll.hungUp()
  const task = leased()
  poll.json(200, { tasks: [task] }) // it was on its way
  const settle = await c.fake.settle()
  assert.deepEqual(settle.body.results, [{ id: task.id, claim: task.claim, outcome: "released" }])
  allOk(settle)
  await c.ran
})

test("a stop lets handlers end in their grace time", async () => {
  const gate = later()
  const c = await cast({ work: () => gate.promise })
  await c.give(leased())
  const poll = await c.fake.poll()
  c.worker.stop()
  await poll.hungUp()
  poll.json(200, { tasks: [] })
  gate.resolve()
  const settle = await c.fake.settle()
  assert.equal(settle.body.results[0].outcome, "succeeded")
  allOk(settle)
  await c.ran
})

test("after the grace time handlers are told to stop, and their tasks go back at no cost", async () => {
  let reason: unknown
  const c = await cast({
    heeds: (_, { signal }) => once(signal, "abort").then(() => { throw (reason = signal.reason) }),
    stubborn: () => new Promise(() => {}),
  }, { grace: 1, cleanup: 1 })
  await c.give(leased({ type: "heeds" }), leased({ type: "stubborn" }))
  const poll = await c.fake.poll() // so they have begun
  c.worker.stop()
  poll.json(200, { tasks: [] })
  const outcomes: string[] = []
  while (outcomes.length < 2) {
    const settle = await c.fake.settle()
    outcomes.push(...settle.body.results.map((one: Body) => one.outcome))
    allOk(settle)
  }
  assert.deepEqual(outcomes, ["released", "released"])
  await c.ran
  assert.ok(reason instanceof StoppingError)
  assert.ok(c.logged.some((line) => line.startsWith("attempt.abandoned")))
})

test("steps are kept before the handler goes on, and not done again", async () => {
  const done: string[] = []
  const c = await cast({
    async work(_, { step }) {
      const a = await step("a", () => (done.push("a"), 1))
      const b = await step("b", (of) => (done.push("b"), of.compensate("undo", { a }), { at: new Date(0) }))
      await step("b", () => void done.push("b2"))
      return [a, b]
    },
  })
  const task = leased({ steps: [{ name: "a", occurrence: 1, result: 41 }] })
  await c.give(task)
  const first = await c.fake.steps()
  assert.deepEqual(done, ["b"])
  const { started_at: _, ...kept } = first.body.items[0]
  assert.deepEqual(kept, { id: task.id, claim: task.claim, name: "b", occurrence: 1, result: { at: "1970-01-01T00:00:00.000Z" }, compensation: { type: "undo", payload: { a: 41 } } })
  first.lose()
  const again = await c.fake.steps()
  again.text(404, "404 page not found")
  const third = await c.fake.steps()
  assert.deepEqual([again.body, third.body], [first.body, first.body])
  allOk(third)
  const second = await c.fake.steps()
  assert.deepEqual([second.body.items[0].occurrence, "result" in second.body.items[0]], [2, false])
  allOk(second)
  const settle = await c.fake.settle()
  assert.deepEqual(settle.body.results[0].result, [41, { at: "1970-01-01T00:00:00.000Z" }], "as later attempts get it")
  allOk(settle)
  await c.stop()
})

test("a step that is not kept fails the attempt", async () => {
  const c = await cast({ work: (_, { step }) => step("s", () => 1) })
  for (const [answer, want] of [
    [{ status: "error", error: { code: "invalid", detail: "too many" } }, { outcome: "failed", category: "bug" }],
    [{ status: "error", error: { code: "too_large", detail: "too large" } }, { outcome: "failed", category: "permanent" }],
    ["<html>", { outcome: "failed", category: "permanent" }],
  ] as const) {
    await c.give(leased())
    const kept = await c.fake.steps()
    if (answer === "<html>") kept.text(413, answer) // of a proxy
    else kept.json(200, { results: [answer] })
    const settle = await c.fake.settle()
    const [{ outcome, error }] = settle.body.results
    assert.deepEqual({ outcome, category: error?.category }, want)
    allOk(settle)
  }
  await c.stop()
})

test("a worker whose thread dies ends with an error", async () => {
  const { fork } = await import("node:child_process")
  const fake = await FakeServer.start()
  fakes.push(fake)
  const sabotage = new URL("./sabotage.js", import.meta.url).href
  const child = fork(new URL("./program.js", import.meta.url), { env: { ...process.env, OUTLAST_SERVER: fake.url }, execArgv: ["--import", sabotage], stdio: ["ignore", "ignore", "pipe", "ipc"] })
  let said = ""
  child.stderr!.on("data", (text: Buffer) => (said += text.toString()))
  ;(await fake.poll()).json(200, { tasks: [leased({ type: "wait" })] })
  fake.always.set("/v1/workers/poll", (got) => got.json(200, { tasks: [] }))
  const settle = await fake.settle()
  assert.equal(settle.body.results[0].outcome, "released", "what can still be handed back is")
  allOk(settle)
  const [code] = await once(child, "close")
  assert.equal(code, 1)
  assert.match(said, /the thread that extends leases died/)
})
