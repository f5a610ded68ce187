import assert from "node:assert/strict"
import { test } from "node:test"
import { RetryAfter, type Context } from "outlast"
import { runAttempt } from "outlast/testing"

async function ship(order: { id: string }, { step, attempt }: Context) {
  const parcel = await step("pack", () => `parcel of ${order.id}`)
  if (attempt === 1) throw new RetryAfter("1m", "the van is late")
  return { parcel }
}

test("a parcel is packed once", async () => {
  const first = await runAttempt(ship, { id: "A-17" })
  assert.equal(first.outcome, "failed")
  assert.equal(first.retryAfter, 60_000)
  const second = await runAttempt(ship, { id: "A-17" }, { task: { attempt: 2 }, steps: first.steps })
  assert.deepEqual(second.result, { parcel: "parcel of A-17" })
  assert.equal(second.steps.length, 1)
})
