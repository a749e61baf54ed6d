"""Pairs of agents of AutoGen core that send each other numbers, down to nought, in memory.

Arguments: a folder (not used), agents, messages of a pair. Prints JSON.
"""

import asyncio
import json
import resource
import sys
import time
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)

TOPIC = "player"
took: list[float] = []
sent_at: dict[int, float] = {}
counted = {"messages": 0, "sum": 0}


@dataclass
class Number:
    number: int


class Player(RoutedAgent):
    def __init__(self) -> None:
        super().__init__("a player")

    @message_handler
    async def hear(self, message: Number, ctx: MessageContext) -> None:
        if message.number == 0:
            return
        own = int(self.id.key)
        pair = own // 2
        now = time.perf_counter()
        if pair in sent_at:
            took.append(now - sent_at[pair])
        sent_at[pair] = now
        counted["messages"] += 1
        counted["sum"] += message.number - 1
        await self.publish_message(Number(message.number - 1), TopicId(TOPIC, str(own ^ 1)))


async def main(agents: int, rounds: int) -> None:
    runtime = SingleThreadedAgentRuntime()
    await Player.register(runtime, TOPIC, Player)
    await runtime.add_subscription(TypeSubscription(TOPIC, TOPIC))
    begin = time.perf_counter()
    runtime.start()
    for pair in range(agents // 2):
        # Whoever begins is told the number by nobody of its own kind.
        await runtime.send_message(Number(rounds), AgentId(TOPIC, str(pair * 2 + 1)))
    await runtime.stop_when_idle()
    seconds = time.perf_counter() - begin
    took.sort()
    part = lambda share: took[int(len(took) * share)] * 1000
    kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({**counted, "seconds": seconds, "p50": part(0.5), "p99": part(0.99), "kb": kb}))


asyncio.run(main(int(sys.argv[2]), int(sys.argv[3])))
