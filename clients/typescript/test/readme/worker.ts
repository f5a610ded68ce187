import { Client, GiveUp, RetryAfter, Worker, type Context } from "outlast"

const worker = new Worker(new Client(), {
  greet: ({ name }: { name: string }) => ({ text: `Hello ${name}` }),

  async order({ id, cents }: { id: string; cents: number }, { step, signal, logger }: Context) {
    if (cents <= 0) throw new GiveUp("an order costs something") // a dead letter, whatever attempts are left
    const charge = await step("charge", async (of) => {
      const key = `charge/${id}` // what is called knows a repeat by it
      of.compensate("refund", { key }) // enqueued if this task dies
      const answer = await pay(key, cents, signal)
      if (answer.busy) throw new RetryAfter("30s", "the bank is busy")
      return { key }
    })
    logger.info("charged", charge)
    return charge
  },
}, { concurrency: 20, queues: ["default"] })

await worker.run({ stopOn: ["SIGTERM", "SIGINT"] })

async function pay(_key: string, _cents: number, _signal: AbortSignal): Promise<{ busy: boolean }> {
  return { busy: false }
}
