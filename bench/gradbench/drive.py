#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an eval of GradBench with a tool, as GradBench's own `run` does: each line that the eval prints goes to the tool,
and the tool's answer to the eval. Prints what was evaluated, the median of its runs, and the eval's verdict.

In a clone of GradBench, after `make -C cpp` and `make -C tools/manual`, whose results are the expected ones:

    drive.py --eval "python3 python/gradbench/gradbench/evals/lse/run.py" --tool HILO/build/bin/bench/gradbench"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", required=True, type=shlex.split)
    parser.add_argument("--tool", required=True, type=shlex.split)
    arguments = parser.parse_args()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    evaluation, tool = subprocess.Popen(arguments.eval, **pipes), subprocess.Popen(arguments.tool, **pipes)
    wrong = evaluated = 0
    for line in evaluation.stdout:
        message = json.loads(line)
        tool.stdin.write(line)
        tool.stdin.flush()
        answer = tool.stdout.readline()
        if message["kind"] == "evaluate":
            evaluated += 1
            print(f"{message['function']} {message.get('description', '')}: {times(json.loads(answer))}", flush=True)
            wrong += not json.loads(answer)["success"]
        elif message["kind"] == "analysis" and not message["valid"]:
            wrong += 1
            print(f"  wrong: {message.get('error', '')[:300]}", flush=True)
        elif message["kind"] == "define" and not json.loads(answer)["success"]:
            wrong += 1
        evaluation.stdin.write(answer)
        evaluation.stdin.flush()
    tool.stdin.close()
    failed = evaluation.wait() != 0 or tool.wait() != 0
    print(f"{evaluated} evaluated, {wrong} wrong")
    return 1 if failed or wrong or not evaluated else 0


def times(answer: dict) -> str:
    """The median of the runs, and the time to compile."""
    if not answer["success"]:
        return answer.get("error", "failed")
    by_name: dict[str, list[int]] = {}
    for timing in answer.get("timings") or []:
        by_name.setdefault(timing["name"], []).append(timing["nanoseconds"])
    return ", ".join(f"{name} {statistics.median(one) / 1e6:.4g} ms" for name, one in by_name.items())


if __name__ == "__main__":
    sys.exit(main())
