#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `hilo serve` and its clients in whole processes: worker processes, tokens, signals, crashes, and on a server a
selection of the front end's tests and all examples.

Prints "passed CASE" or "failed CASE" for each; tools/run_tests.py counts them.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import front_end  # noqa: E402
import hardened  # noqa: E402
import http2  # noqa: E402
import who  # noqa: E402
from command import holds, own_environment, run_cases  # noqa: E402
from served import remote, server  # noqa: E402

DOUBLE = """HloModule double

ENTRY main {
  x = f32[2] parameter(0)
  ROOT y = f32[2] add(x, x)
}
"""
FOREVER = """HloModule forever

body {
  p = (f32[2048]) parameter(0)
  x = f32[2048] get-tuple-element(p), index=0
  y = f32[2048] sine(x)
  ROOT t = (f32[2048]) tuple(y)
}
condition {
  p = (f32[2048]) parameter(0)
  ROOT c = pred[] constant(true)
}
ENTRY e {
  x = f32[2048] parameter(0)
  t = (f32[2048]) tuple(x)
  w = (f32[2048]) while(t), condition=condition, body=body
  ROOT r = f32[2048] get-tuple-element(w), index=0
}
"""
PROGRAMS = {"double.hlo": DOUBLE, "forever.hlo": FOREVER}


def children(pid):
    """Returns the child processes of all threads: Linux lists them by the thread that started them."""
    try:
        return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                for child in (task / "children").read_text().split()]
    except FileNotFoundError:  # it ended meanwhile
        return []


def workers(process):
    """Returns the worker processes: children of the zygote, which is the server's only child."""
    return [worker for zygote in children(process.pid) for worker in children(zygote)]


def processor_time(pid):
    """Returns the processor seconds that the process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def a_program_gives_there_what_it_gives_here(place):
    with server(place) as process:
        here = place.good("run", "double.hlo", "--random", "1")
        there = place.good(*remote(process, "run", "double.hlo", "--random", "1"))
        assert here.splitlines()[0] == there.splitlines()[0], (here, there)
        both = place.good(*remote(process, "run", "double.hlo", "--random", "1", "--jax_replica_count=2"))
        assert both.splitlines()[0] == here.splitlines()[0], both
    assert process.returncode == 0, process.rest
    assert "new sessions are rejected" in process.rest, process.rest


def an_endless_program_ends_with_its_time(place):
    with server(place, "--max-run-seconds", "0.2") as process:
        holds(place.bad(1, *remote(process, "run", "forever.hlo", "--random", "1")), "DEADLINE_EXCEEDED")
        place.good(*remote(process, "run", "double.hlo", "--random", "1"))


def a_killed_worker_costs_one_client_one_unavailable(place):
    with server(place) as process:
        with subprocess.Popen([place.command, *remote(process, "run", "forever.hlo", "--random", "1")],
                              cwd=place.folder, stderr=subprocess.PIPE, text=True, env=own_environment()) as client:
            while not any(processor_time(worker) > 0.5 for worker in workers(process)):  # the program runs
                os.sched_yield()
            os.kill(workers(process)[0], signal.SIGKILL)
            text = client.stderr.read()
        assert client.returncode == 1, text
        holds(text, "UNAVAILABLE", "objects on the server are lost")
        place.good(*remote(process, "run", "double.hlo", "--random", "1"))


def a_client_that_goes_takes_its_worker_along(place):
    with server(place, "--grace", "0") as process:
        place.good(*remote(process, "run", "double.hlo", "--random", "1"))
        while workers(process):
            os.sched_yield()
        with subprocess.Popen([place.command, *remote(process, "run", "forever.hlo", "--random", "1")],
                              cwd=place.folder, stderr=subprocess.DEVNULL, env=own_environment()) as client:
            while not workers(process):
                os.sched_yield()
            client.kill()
        while workers(process):
            os.sched_yield()


def a_client_that_is_interrupted_stops_its_run(place):
    with server(place, "--grace", "3600") as process:
        with subprocess.Popen([place.command, *remote(process, "run", "forever.hlo", "--random", "1")],
                              cwd=place.folder, stderr=subprocess.PIPE, text=True, env=own_environment()) as client:
            while not any(processor_time(worker) > 0.5 for worker in workers(process)):  # the program runs
                os.sched_yield()
            client.send_signal(signal.SIGINT)  # it waits for what the server says
            text = client.stderr.read()
        assert client.returncode == 130, (client.returncode, text)
        while workers(process):  # its session ends with it, and not with the grace of an hour
            os.sched_yield()
        holds(place.good("top", process.target, "--every", "0.05", "--count", "1"), " 0 sessions of 1 begun, 0 workers lost")


def a_client_that_ends_ends_its_session(place):
    with server(place, "--grace", "3600") as process:
        place.good(*remote(process, "run", "double.hlo", "--random", "1"))
        place.bad(1, *remote(process, "run", "forever.hlo", "--random", "1", "--timeout", "0.2"))
        while workers(process):
            os.sched_yield()


def a_killed_zygote_is_replaced_and_not_for_ever(place):
    with server(place) as process:
        for _ in range(4):
            while not (seen := children(process.pid)):  # the kernel's list may miss some while another one ends
                os.sched_yield()
            os.kill(seen[0], signal.SIGKILL)
            while not set(children(process.pid)) - set(seen):
                os.sched_yield()
            place.good(*remote(process, "run", "double.hlo", "--random", "1"))
        os.kill(children(process.pid)[0], signal.SIGKILL)  # the fifth within a minute
        process.rest = process.stdout.read()
        assert process.wait() == 1, process.rest


def workers_have_addresses_of_their_own(place):
    def start(pid):
        return next(line.split("-")[0] for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
                    if "libhilo.so" in line)

    with server(place) as process, contextlib.ExitStack() as clients:
        for _ in range(2):
            clients.enter_context(subprocess.Popen(
                [place.command, *remote(process, "run", "forever.hlo", "--random", "1")], cwd=place.folder,
                stderr=subprocess.DEVNULL, env=own_environment()))
        while len([worker for worker in workers(process) if processor_time(worker) > 0.2]) < 2:
            os.sched_yield()
        pids = [process.pid, *workers(process)]
        assert len({start(pid) for pid in pids}) == len(pids), pids
        for pid in workers(process):
            os.kill(pid, signal.SIGKILL)


def a_profile_of_runs_there_is_written_here(place):
    def rows(*arguments):
        """Returns the content of the profile except times: kinds, names and counts of the units that ran."""
        folder = place.folder / "profile"
        place.good(*arguments, environment={"JAX_HLO_PROFILE": "True", "HILO_PROFILE_DIR": str(folder)})
        (profile,) = json.loads((folder / "profile.json").read_text())
        shutil.rmtree(folder)
        assert profile["rows"] and profile["compile"] and profile["wall_nanoseconds"] > 0, profile
        names = ("kind", "name", "operations", "calls", "flops", "bytes")
        return profile["runs"], sorted([row[name] for name in names] for row in profile["rows"])

    run = ("run", "double.hlo", "--random", "1")
    with server(place) as process:
        assert rows(*run) == rows(*remote(process, *run))


def what_is_not_safe_does_not_start(place):
    holds(place.bad(1, "serve", "--listen", "0.0.0.0:0"), "FAILED_PRECONDITION", "there is no TLS")
    holds(place.bad(1, "serve", "--listen", "here"), "INVALID_ARGUMENT", "host:port")
    for option, value in (("--max-run-seconds", "nan"), ("--max-run-seconds", "-1"), ("--max-live-bytes", "-1"),
                          ("--max-sessions", "0"), ("--grace", "-1"), ("--drain", "inf")):
        holds(place.bad(1, "serve", "--listen", "127.0.0.1:0", f"{option}={value}"), "INVALID_ARGUMENT", option[2:])
    holds(place.bad(1, "serve", "--listen", "127.0.0.1:0", "--platform", "Hots"), "platform", "Hots")
    token = place.folder / "token"
    token.write_text("0123456789abcdef")
    token.chmod(0o644)
    holds(place.bad(1, "serve", "--listen", "127.0.0.1:0", "--token-file", "token"), "PERMISSION_DENIED", "chmod 600")


def a_token_lets_in(place):
    token = place.folder / "secret"
    token.write_text("0123456789abcdef")
    token.chmod(0o600)
    with server(place, "--token-file", "secret") as process:
        run = remote(process, "run", "double.hlo", "--random", "1")
        holds(place.bad(1, *run), "UNAUTHENTICATED")
        place.good(*run, environment={"HILO_XRT_TOKEN_FILE": str(token)})


def top_shows_a_session_and_its_programs(place):
    with server(place) as process:
        here = place.good("top", process.target, "--every", "0.05", "--count", "2")
        assert len(here.splitlines()) == 2 and " 0 sessions of 0 begun" in here, here
        with subprocess.Popen([place.command, *remote(process, "run", "forever.hlo", "--random", "1")],
                              cwd=place.folder, stderr=subprocess.DEVNULL, env=own_environment()) as client:
            while not any(processor_time(worker) > 0.5 for worker in workers(process)):  # the program runs
                os.sched_yield()
            line = place.good("top", process.target, "--every", "0.5", "--count", "1").splitlines()[-1].split()
            client.kill()
        assert line[0] == "1" and int(line[5]) >= 1 and line[-2] != "0", line  # session, running, memory
        gone = place.bad(1, "top", "rpc:127.0.0.1:1")
        holds(gone, "UNAVAILABLE")
    holds(place.bad(1, "top", "local"), "INVALID_ARGUMENT", "rpc:host:port")


def examples_print_there_what_they_print_here(place):
    examples = sorted(path for path in (place.build / "bin" / "examples").iterdir() if path.is_file())
    assert len(examples) > 8, examples
    with server(place) as process:
        for example in examples:
            here, there = (printed(place, example, environment) for environment in (
                {}, {"JAX_XLA_BACKEND": "xrt", "JAX_BACKEND_TARGET": process.target}))
            assert here == there, f"{example.name}: here\n{here}\nthere\n{there}"


FRONT_END = {"lax": 12, "numpy": 6, "random": 4, "linalg": 2}  # program: each n-th of its tests; front_end.py runs all


def the_front_ends_tests_pass_there(place):
    with server(place) as process:
        for name, every in FRONT_END.items():
            results = front_end.over(process.target, place.build / "bin" / "tests" / f"test_{name}", every, place.folder)
            good, wrong, _ = front_end.sorted_out(results)
            assert not wrong, "\n".join(f"{name} {result.name}\n{result.output}" for result in wrong)
            assert len(good) > len(results) / 2, f"{name}: {len(good)} of {len(results)}"


def printed(place, example, environment):
    """Returns the example's output without its line about time, and the file that it writes."""
    written = place.folder / f"{example.name}.out"
    done = subprocess.run([example] + [written] * (example.name == "mandelbrot"), cwd=place.folder, capture_output=True,
                          text=True, timeout=120, env={**own_environment(), **environment})
    assert done.returncode == 0, f"{example.name} {environment}: {done.stdout}{done.stderr}"
    lines = [line for line in done.stdout.splitlines() if not line.startswith("platform ")]
    return lines, written.read_bytes() if written.exists() else b""


CASES = (a_program_gives_there_what_it_gives_here, an_endless_program_ends_with_its_time,
         a_killed_worker_costs_one_client_one_unavailable, a_client_that_goes_takes_its_worker_along,
         a_client_that_is_interrupted_stops_its_run, a_client_that_ends_ends_its_session,
         a_killed_zygote_is_replaced_and_not_for_ever, workers_have_addresses_of_their_own,
         a_profile_of_runs_there_is_written_here,
         what_is_not_safe_does_not_start, a_token_lets_in, top_shows_a_session_and_its_programs,
         the_front_ends_tests_pass_there, examples_print_there_what_they_print_here,
         *who.CASES, *http2.CASES, *hardened.CASES)

if __name__ == "__main__":
    sys.exit(run_cases(__doc__, CASES, PROGRAMS))
