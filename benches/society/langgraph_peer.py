"""Pairs of nodes of LangGraph that hand each other numbers, down to nought; its SQLite checkpointer keeps each step.

Arguments: a folder, agents, messages of a pair. Prints JSON.
"""

import json
import os
import resource
import sqlite3
import sys
import time
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

took: list[float] = []
counted = {"messages": 0, "sum": 0}
last = [0.0]


class Count(TypedDict):
    number: int


def player(state: Count) -> Count:
    now = time.perf_counter()
    if last[0]:
        took.append(now - last[0])
    last[0] = now
    counted["messages"] += 1
    counted["sum"] += state["number"] - 1
    return {"number": state["number"] - 1}


def to(other: str):
    return lambda state: END if state["number"] == 0 else other


def main(folder: str, agents: int, rounds: int) -> None:
    graph = StateGraph(Count)
    graph.add_node("ping", player)
    graph.add_node("pong", player)
    graph.add_edge(START, "ping")
    graph.add_conditional_edges("ping", to("pong"), ["pong", END])
    graph.add_conditional_edges("pong", to("ping"), ["ping", END])
    connection = sqlite3.connect(os.path.join(folder, "checkpoints.db"), check_same_thread=False)
    game = graph.compile(checkpointer=SqliteSaver(connection))
    begin = time.perf_counter()
    for pair in range(agents // 2):
        last[0] = 0.0
        game.invoke(
            {"number": rounds},
            {"configurable": {"thread_id": str(pair)}, "recursion_limit": rounds + 5},
        )
    seconds = time.perf_counter() - begin
    took.sort()
    part = lambda share: took[int(len(took) * share)] * 1000
    kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({**counted, "seconds": seconds, "p50": part(0.5), "p99": part(0.99), "kb": kb}))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
