// A worker whose handlers give back what no server takes, for tests.

import { existsSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { Snooze, Worker } from "../../workers/node/outlast-worker.mjs"

const ring = []
ring.push(ring)
let deep = null
for (let i = 0; i < 100; i++) deep = [deep]

const returned = { large: "x".repeat(64 << 10), type: 1n, cycle: ring, nan: { n: NaN }, deep }
const thrown = {
  nul: new Error("a\0b"), half: new Error("a\ud800b"), mute: Object.create(null), number: new Snooze(Infinity),
}

const types = {
  odd({ kind }, task) {
    if (kind in thrown) throw thrown[kind]
    task.progress = 1n // nobody can send that either
    return returned[kind]
  },
  fine: () => "fine",
  wait: () => new Promise(() => {}),
  // Works until there is a file, on and on even when it should stop.
  async until({ file }) {
    while (!existsSync(file)) await sleep(20)
  },
}

const [server, lease] = process.argv.slice(2)
await new Worker(server, types, { lease: Number(lease), concurrency: 16, token: process.env.OUTLAST_TOKEN }).run()
