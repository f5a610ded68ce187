// A worker as a program, for tests that kill it.

import { existsSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { Client, Worker } from "../src/index.js"

const worker = new Worker(new Client(), {
  greet: ({ name }: { name: string }) => ({ text: `Hello ${name}` }),
  wait: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  async until({ file }: { file: string }) {
    while (!existsSync(file)) await sleep(20)
    return "let go"
  },
}, { lease: process.argv[2] ?? "30s", logger: console })
await worker.run({ stopOn: ["SIGTERM", "SIGINT"] })
