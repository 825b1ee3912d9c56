#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of several processes, one of which is killed, stopped or slowed, or ends or hangs, selected by a seed.

Each job ends in time with the right sums or with an error that names the process, and leaves nothing behind. Prints a
line per kind, then "N passed, N failed"."""

import argparse
import collections
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe")
STEPS = 60
SILENCE = 1  # seconds
# What the others say; nothing: all is well.
SAID = {
    "none": None,
    "slow": None,
    "kill": "UNAVAILABLE: process {} has died",
    "stop": "UNAVAILABLE: process {} has been silent",
    "end": "(process {}, last at",
    "hang": "DEADLINE_EXCEEDED",
    "other": "of program ",
}
DEADLINE = 30.0  # of a job: far above what it takes on a busy machine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = arguments.build.resolve() / "bin" / "tests" / "processes_program"
    chance = random.Random(arguments.seed)
    outcomes = collections.Counter()
    longest = collections.defaultdict(float)
    began = time.monotonic()
    while time.monotonic() < began + arguments.seconds:
        kind = chance.choice(list(SAID))
        processes, devices = chance.choice(((2, 1), (3, 1), (4, 1), (2, 2)))
        victim, step = chance.randrange(processes), chance.randrange(5, STEPS)
        started = time.monotonic()
        problem = run(program, kind, processes, devices, victim, step)
        longest[kind] = max(longest[kind], time.monotonic() - started)
        outcomes[kind, not problem] += 1
        if problem:
            print(f"{kind}: {processes} processes of {devices} devices, process {victim} at step {step}: {problem}", flush=True)
    for kind in SAID:
        print(f"{kind:6}: {outcomes[kind, True]} as wanted, {outcomes[kind, False]} not, longest {longest[kind]:.1f} s")
    passed, failed = (sum(n for (_, good), n in outcomes.items() if good == wanted) for wanted in (True, False))
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def run(program: pathlib.Path, kind: str, processes: int, devices: int, victim: int, step: int) -> str:
    """What went wrong with the job, or nothing."""
    command = [*MPIRUN, "-n", processes, program, kind, victim, step, STEPS]
    environment = {**os.environ, "JAX_REPLICA_COUNT": str(devices), "HILO_HEARTBEAT_SECONDS": str(SILENCE),
                   "HILO_RUN_SECONDS": "3", "HILO_LOG": "error"}
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True, env=environment) as job:
        try:
            out, err = job.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            return f"not over after {DEADLINE:.0f} s"
    left = processes_of(job.pid)
    if left:
        os.killpg(job.pid, signal.SIGKILL)
        return f"{left} processes are left"
    if "wrong sum" in err:
        return err
    if SAID[kind] is None:
        good = job.returncode == 0 and out.count(f": {STEPS} steps") == processes
    else:
        good = job.returncode != 0 and SAID[kind].format(victim) in err
    return "" if good else f"exit status {job.returncode}\n{out}{err}"


def processes_of(session: int) -> int:
    """Of those that a job began: how many are alive. What is dead and not yet buried isn't."""
    alive = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, own_session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has ended meanwhile
            continue
        alive += int(own_session) == session and state not in "ZX"
    return alive


if __name__ == "__main__":
    sys.exit(main())
