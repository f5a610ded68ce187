import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { test } from "node:test"
import { Webhook, WebhookError } from "../src/index.js"
import { signWebhook } from "../src/testing.js"

const [a, b, c] = ["a", "b", "c"].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString("base64")}`) as [string, string, string]
const now = new Date("2026-11-20T10:00:00Z")
const clock = { now: () => now }
const body = '{"event":"order.paid"}'
const more = { "outlast-attempt": "2", "outlast-claim": "17", "outlast-task-type": "http", "outlast-key": "a%20b", "outlast-max-attempts": "5", "outlast-deadline": "2026-11-20T11:00:00Z" }

test("a genuine request", () => {
  const headers = { ...signWebhook(a, "id", now, body), ...more }
  assert.equal(headers["webhook-signature"], `v1,${createHmac("sha256", "a".repeat(32)).update(`id.1795168800.${body}`).digest("base64")}`)
  const want = {
    id: "id", timestamp: now, payload: { event: "order.paid" }, type: "http", key: "a b", attempt: 2, claim: 17, maxAttempts: 5, deadline: new Date("2026-11-20T11:00:00Z"),
  }
  const webhook = new Webhook(a, clock)
  assert.deepEqual(webhook.verify(body, headers), want)
  assert.deepEqual(webhook.verify(Buffer.from(body), new Headers(headers)), want)
  assert.deepEqual(webhook.verify(body, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))), want)
})

test("secrets change: each of several is good, and so is each of several signatures", () => {
  const [ofA, ofB] = [a, b].map((secret) => signWebhook(secret, "id", now, body))
  for (const headers of [ofA!, ofB!]) new Webhook([a, b], clock).verify(body, headers)
  const both = { ...ofA!, "webhook-signature": `v1a,x ${ofA!["webhook-signature"]} ${ofB!["webhook-signature"]}` }
  for (const secret of [a, b]) new Webhook(secret, clock).verify(body, both)
  assert.throws(() => new Webhook(c, clock).verify(body, both), WebhookError)
})

test("what is not genuine is refused", () => {
  const headers = signWebhook(a, "id", now, body)
  const webhook = new Webhook(a, clock)
  for (const [text, wrong] of [
    [body + " ", headers], [body, { ...headers, "webhook-id": "other" }], [body, { ...headers, "webhook-timestamp": "1795168801" }],
    [body, { ...headers, "webhook-signature": headers["webhook-signature"]!.replace("v1,", "v2,") }], [body, { ...headers, "webhook-signature": "" }],
    [body, {}], [body, { ...headers, "webhook-timestamp": "soon" }], [body, { ...headers, "webhook-timestamp": "9".repeat(15) }],
    [body, { ...headers, "webhook-timestamp": "9".repeat(12) }],
  ] as [string, Record<string, string>][]) assert.throws(() => webhook.verify(text, wrong), WebhookError)
  for (const off of [-301_000, 301_000]) {
    const late = new Date(now.getTime() + off)
    assert.throws(() => webhook.verify(body, signWebhook(a, "id", late, body)), /too old|from the future/)
    new Webhook(a, { ...clock, tolerance: "10m" }).verify(body, signWebhook(a, "id", late, body))
  }
  for (const secret of ["", "secret", "whsec_c2hvcnQ=", []]) assert.throws(() => new Webhook(secret), TypeError)
})
