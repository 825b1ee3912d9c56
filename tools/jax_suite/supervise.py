# SPDX-License-Identifier: Apache-2.0
"""Runs one file of JAX's tests to its end, in as many processes as needed, and stores the results in a file of lines.

The state of a file on an engine is `STATE/ENGINE/FILE.jsonl`. Its first line has the settings on which results depend.
Then the rows of one_file.py follow, and a row for each test that killed its process (outcome `crashed`, `hung`). The
file is written line by line, so a stopped run continues where it stopped, and a run with a higher limit runs only new
tests.
"""

import dataclasses
import json
import os
import pathlib
import re
import selectors
import signal
import subprocess
import tempfile
import time

ONE_FILE = pathlib.Path(__file__).resolve().parent / "one_file.py"
FATAL = re.compile(r"Check failed|^F\d{4}|terminate called|what\(\)|Fatal Python error|Assertion .* failed|LLVM ERROR|AddressSanitizer")
MAX_CRASHES = 200  # of one file; a plugin that kills every test ends earlier than the file does


@dataclasses.dataclass(frozen=True)
class Engine:
    """The engine that runs the tests: a name for states and tables, and the environment that makes JAX use it."""
    name: str
    environment: dict


@dataclasses.dataclass(frozen=True)
class Settings:
    python: str
    jax: str
    seed: int = 0
    generated_cases: int = 5
    limit: int = 0  # tests of a file; 0: all
    seconds: float = 0  # of a file; 0: no limit
    match: str = ""
    part: str = "1/1"
    test_seconds: float = 120  # a test that takes longer is hung
    memory: float = 0  # GB

    @property
    def identity(self) -> dict:
        """Returns the settings that determine results: a state of another identity is not resumed."""
        return {"python": self.python, "jax": self.jax, "seed": self.seed, "generated_cases": self.generated_cases}

    @property
    def goal(self) -> dict:
        """Returns the settings that determine when a file is finished."""
        return {"limit": self.limit, "seconds": self.seconds, "match": self.match, "part": self.part}


def run_file(name: str, engine: Engine, settings: Settings, state: pathlib.Path,
             only: list[str] | None = None) -> list[dict]:
    """Runs the tests that the file's state lacks; returns all rows. `only`: ids of the only tests to run."""
    path = state / engine.name / f"{name}.jsonl"
    rows = resume(path, settings)
    crashes = 0
    goal = settings.goal if only is None else {**settings.goal, "only": sorted(only)}
    with open(path, "a") as log:
        while not ended(rows, goal) and crashes < MAX_CRASHES:
            before = len(rows)
            for row in one_process(name, engine, settings, done_tests(rows), spent(rows), only):
                row |= {"goal": goal} if "end" in row else {}
                rows.append(row)
                log.write(json.dumps(row) + "\n")
                log.flush()
            crashes += any(row.get("outcome") in ("crashed", "hung") for row in rows[before:])
    return rows


def resume(path: pathlib.Path, settings: Settings) -> list[dict]:
    """Returns the rows of an earlier run with the same identity; another identity starts from the beginning."""
    first = {"identity": settings.identity}
    rows = read_rows(path)
    if rows[:1] != [first]:
        rows = [first]
    write_rows(path, rows)
    return rows


def read_rows(path: pathlib.Path) -> list[dict]:
    """Returns the rows of a state, without an incomplete last line."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def write_rows(path: pathlib.Path, rows: list[dict]) -> None:
    """Replaces the file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as new:
        new.writelines(json.dumps(row) + "\n" for row in rows)
    os.replace(new.name, path)


def forget(path: pathlib.Path, outcomes: tuple[str, ...]) -> None:
    """Removes the tests with these outcomes, and the end mark, from a state, so that they run again."""
    write_rows(path, [row for row in read_rows(path) if row.get("outcome") not in outcomes and not ended([row])])


def ended(rows: list[dict], goal: dict | None = None) -> bool:
    """Whether a row reports the end of the file; with a goal, the end for this goal."""
    return any("problem" in row or "skip" in row or ("end" in row and goal in (None, row["goal"])) for row in rows)


def done_tests(rows: list[dict]) -> list[str]:
    return [row["test"] for row in rows if "test" in row]


def spent(rows: list[dict]) -> float:
    return sum(row.get("seconds", 0) for row in rows)


def one_process(name: str, engine: Engine, settings: Settings, done: list[str], seconds_spent: float,
                only: list[str] | None):
    """Yields the rows of one process; finally that of the test that ended it, if one did."""
    with tempfile.TemporaryDirectory(prefix="hilo_jax_tests_") as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "done").write_text("\n".join(done))
        if only is not None:
            (scratch / "only").write_text("\n".join(only))
        ours, theirs = os.pipe()
        with open(scratch / "log", "w+b") as log, open(ours, "rb", buffering=0) as pipe:
            process = subprocess.Popen(command(name, settings, scratch, theirs, seconds_spent), cwd=scratch,
                                       env=environment(engine, settings), pass_fds=[theirs], stdin=subprocess.DEVNULL,
                                       stdout=log,
                                       stderr=log, start_new_session=True)
            os.close(theirs)
            seen, hung, patience = [], True, 0
            try:
                for row in rows_of(pipe, settings.test_seconds):
                    seen.append(row)
                    if "start" not in row:
                        yield row
                hung, patience = False, 10
            except TimeoutError:
                pass
            finally:
                stop(process, patience)
            yield from death(process.returncode, hung, seen, tail(log), settings)


def command(name, settings, scratch, descriptor, seconds_spent) -> list[str]:
    options = {"jax": settings.jax, "report": descriptor, "done": scratch / "done", "seed": settings.seed, "limit": settings.limit,
               "memory": settings.memory, "match": settings.match, "part": settings.part,
               "seconds": max(settings.seconds - seconds_spent, 0.001) if settings.seconds else 0}
    if (scratch / "only").exists():
        options["only"] = scratch / "only"
    return [settings.python, str(ONE_FILE), f"{settings.jax}/tests/{name}_test.py",
            *(f"--{option}={value}" for option, value in options.items())]


def environment(engine: Engine, settings: Settings) -> dict:
    return {**os.environ, "JAX_NUM_GENERATED_CASES": str(settings.generated_cases), "JAX_SKIP_SLOW_TESTS": "1",
            "JAX_TRACEBACK_FILTERING": "off", "PYTHONHASHSEED": "0", "PYTHONFAULTHANDLER": "1", "PYTHONDONTWRITEBYTECODE": "1", **engine.environment}


def rows_of(pipe, patience: float):
    """Yields rows until the process closes its end. Raises TimeoutError after `patience` seconds without a row."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(patience):
                raise TimeoutError
            part = pipe.read(1 << 16)
            if not part:
                return
            *lines, pending = (pending + part).split(b"\n")
            yield from map(json.loads, lines)


def stop(process: subprocess.Popen, wait: float) -> None:
    """Ends the process and its children; one that reported its end gets some time to exit by itself."""
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def death(status: int, hung: bool, seen: list[dict], log: list[str], settings: Settings):
    """Returns a row that describes how a process crashed."""
    if ended(seen) and not hung and status in (0, -signal.SIGKILL):
        return
    how = f"no word for {settings.test_seconds:g} s" if hung else exit_text(status)
    told = next((line for line in log if FATAL.search(line)), log[-1] if log else "")
    end = {"cause": f"{how}: {told.strip()}"[:400], "details": "\n".join(log[-40:])}
    tests = [row for row in seen if "start" in row or "test" in row]
    if not tests and not ended(seen):
        yield {"problem": end.pop("cause"), **end}
        return
    if tests and "start" in tests[-1]:
        test = tests[-1]["start"]
    else:
        test = f"(after {tests[-1]['test']})" if tests else "(at the end)"
    yield {"test": test, "outcome": "hung" if hung else "crashed", "seconds": settings.test_seconds if hung else 0, **end}


def exit_text(status: int) -> str:
    return f"signal {-status} ({signal.Signals(-status).name})" if status < 0 else f"exit status {status}"


def tail(log) -> list[str]:
    """Returns the last lines of a log."""
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - 64_000))
    return [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]
