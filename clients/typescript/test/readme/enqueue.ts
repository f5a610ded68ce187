import { Client, QueueFullError } from "outlast"

const client = new Client() // OUTLAST_SERVER, OUTLAST_TOKEN or OUTLAST_TOKEN_FILE, OUTLAST_CA_FILE

const task = await client.enqueue({
  type: "greet",
  payload: { name: "Ada" },
  dedupeKey: "greet/ada", // the same key and content: the same task
  key: "ada", // tasks of one key run one at a time, in order
  ttl: "1h",
  metadata: { customer: "acme" },
})
const done = await client.wait<{ text: string }>(task.id, { timeout: "1m" })
console.log(done.state, done.result?.text)

const verdicts = await client.batch([
  { type: "greet", payload: { name: "Bob" }, delay: "1s" },
  { type: "greet", payload: { name: "Eve" }, priority: 12 },
])
for (const verdict of verdicts) console.log(verdict.ok ? "accepted" : verdict.error.fields[0]?.message)

try {
  await client.enqueue({ type: "greet", payload: { name: "Zoe" } }, { wait: "30s" }) // told at once when it has ended
} catch (error) {
  if (!(error instanceof QueueFullError)) throw error
  console.log(`come back in ${error.retryAfter} ms`)
}
client.close()
