import assert from "node:assert/strict"
import { test } from "node:test"
import { Cancel, GiveUp, Snooze, StepError, type Context } from "../src/index.js"
import { runAttempt } from "../src/testing.js"

test("verdicts", async () => {
  assert.deepEqual(await runAttempt((n: number) => n + 1, 1), { outcome: "succeeded", result: 2, steps: [] })
  assert.equal((await runAttempt(() => { throw new GiveUp("no") }, null)).outcome, "dead")
  assert.equal((await runAttempt(() => { throw new Cancel("no") }, null)).outcome, "canceled")
  assert.equal((await runAttempt(() => { throw new Snooze("1.5s") }, null)).retryAfter, 1500)
  assert.equal((await runAttempt(() => 1n, null)).error!.code, "bad_result")
  assert.deepEqual((await runAttempt((_: null, { progress }) => progress({ done: 1 }), null)).progress, { done: 1 })
  assert.equal((await runAttempt((_: null, { progress }) => progress("x".repeat(5000)), null)).outcome, "failed")
})

test("a sleep ends by the clock of the server", async () => {
  const sleeper = async (_: null, { sleep }: Context) => (await sleep("night", "8h"), "awake")
  const [evening, midnight, morning] = ["2026-11-20T22:00:00Z", "2026-11-21T00:00:00Z", "2026-11-21T06:00:00Z"].map((at) => new Date(at))
  const first = await runAttempt(sleeper, null, { now: evening! })
  assert.deepEqual([first.outcome, first.retryAfter], ["snoozed", 8 * 3_600_000])
  const second = await runAttempt(sleeper, null, { now: midnight!, steps: first.steps })
  assert.deepEqual([second.outcome, second.retryAfter], ["snoozed", 6 * 3_600_000])
  assert.equal((await runAttempt(sleeper, null, { now: morning!, steps: second.steps })).result, "awake")
})

test("a signal is waited for, found, or comes too late", async () => {
  const waiter = (_: null, { awaitSignal }: Context) => awaitSignal<string>("go", { timeout: "1h", every: "5s" })
  const now = new Date()
  const first = await runAttempt(waiter, null, { now })
  assert.deepEqual([first.outcome, first.retryAfter], ["snoozed", 5000])
  assert.equal((await runAttempt(waiter, null, { now, steps: first.steps, signals: { go: "yes" } })).result, "yes")
  const late = await runAttempt(waiter, null, { now: new Date(now.getTime() + 3_600_000), steps: first.steps })
  assert.deepEqual([late.outcome, late.error!.code, late.error!.category], ["failed", "timeout", "permanent"])
})

test("steps that cannot be", async () => {
  const wrong: [(context: Context) => unknown, RegExp][] = [
    [({ step }) => Promise.all([step("a", () => new Promise((resolve) => setImmediate(resolve, 1))), step("a", () => 2)]), /runs already/],
    [({ step }) => step("", () => 1), /1 to 128/],
    [({ step }) => step("x", (of) => (of.compensate("a"), of.compensate("b"))), /a compensation already/],
    [async ({ step, sleep }) => (await step("x", () => 1), sleep("y", "20000h").catch(() => {}), sleep("z", "100000h")), /ten years/],
  ]
  for (const [handler, says] of wrong) {
    const { outcome, error } = await runAttempt((_: null, context) => handler(context), null)
    assert.deepEqual([outcome, error!.category, error!.type], ["failed", "bug", "step"])
    assert.match(error!.message, says)
  }
  const { error } = await runAttempt((_: null, { step }) => step("x", () => 1n), null)
  assert.equal(error!.code, "bad_result")
  let late: Promise<unknown> | undefined
  await runAttempt((_: null, { step }) => void (late = step("x", () => new Promise((resolve) => setImmediate(resolve)))).catch(() => {}), null)
  await assert.rejects(late!, StepError)
})

test("steps side by side, and in loops", async () => {
  const handler = async (_: null, { step }: Context) => {
    const pair = await Promise.all([step("a", () => "a"), step("b", () => "b")])
    const loop: number[] = []
    for (let i = 0; i < 3; i++) loop.push(await step("loop", () => i))
    return [pair, loop]
  }
  const first = await runAttempt(handler, null)
  assert.deepEqual(first.steps.map(({ name, occurrence }) => `${name} ${occurrence}`).sort(), ["a 1", "b 1", "loop 1", "loop 2", "loop 3"])
  const again = await runAttempt(handler, null, { steps: first.steps })
  assert.deepEqual([again.result, again.steps.length], [first.result, 5])
})
