// Example: greets, fails twice, and takes its time. Run it beside `outlast serve`:
//
//   node worker.mjs http://127.0.0.1:7070

import { setTimeout as sleep } from "node:timers/promises"
import { Dead, Worker } from "./outlast-worker.mjs"

const types = {
  greet: ({ name }) => ({ text: `Hello ${name}, from Node.js` }),

  flaky(payload, task) {
    if (task.attempt <= 2) throw Object.assign(new Error("the shop hung up"), { code: "ECONNRESET" })
    return { attempts: task.attempt }
  },

  // Works for so many seconds, says how far it is, and stops when it should.
  async slow({ seconds }, task) {
    for (let step = 0; step < seconds * 10; step++) {
      task.progress = { done: step / (seconds * 10) }
      await sleep(100, undefined, { signal: task.signal })
    }
    return { slept: seconds }
  },

  check(payload) {
    if (!payload.order) throw new Dead("refused", { cause: new RangeError("an order has no number") })
  },
}

const [server = "http://127.0.0.1:7070", lease = "30"] = process.argv.slice(2)
await new Worker(server, types, { lease: Number(lease), token: process.env.OUTLAST_TOKEN }).run()
