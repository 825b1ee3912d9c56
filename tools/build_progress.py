# SPDX-License-Identifier: Apache-2.0
"""Runs ninja and shows one line: updated in place on a terminal; printed at the beginning and at the end in a pipe.

ninja's whole output goes to TREE/build.log. If the build fails, the output of the first failed command and the path of
the log are printed.
"""

import collections
import dataclasses
import fcntl
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

LOG = "build.log"
SHOWN = 20  # lines of a failure; the log has all
WINDOW = 40  # steps by which the time left is estimated: what ccache has goes much faster than the rest
FEW = 5  # a build of so few steps isn't announced
STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclasses.dataclass
class Failure:
    """A failed command: its target, the command, and its output."""
    target: str
    command: str = ""
    output: list[str] = dataclasses.field(default_factory=list)


class Progress:
    """ninja's progress up to a time."""

    def __init__(self):
        self.done = self.total = 0
        self.what = ""
        self.failures: list[Failure] = []
        self.finished = collections.deque(maxlen=WINDOW + 1)  # (steps, time)
        self.inside = False  # what a failed command said

    def read(self, line: str, now: float) -> None:
        """Processes a line of ninja's output; `now` is in seconds."""
        if step := STEP.fullmatch(line):
            done, self.total, self.what, self.inside = int(step[1]), int(step[2]), source_of(step[3]), False
            if done < self.done:  # CMake ran first, and ninja restarts its count
                self.finished.clear()
            if not self.finished or done != self.done:
                self.finished.append((done, now))
            self.done = done
        elif line.startswith("FAILED: "):
            target = re.sub(r"^FAILED: (\[code=\d+\] )?", "", line).strip()
            self.failures.append(Failure(source_of(target)))
            self.inside = True
        elif line.startswith("ninja: "):
            self.inside = False
        elif self.inside and not self.failures[-1].command:
            self.failures[-1].command = line
        elif self.inside:
            self.failures[-1].output.append(line)

    def seconds_left(self, now: float) -> float | None:
        """Estimates the remaining time by the speed of the last steps; None if too few steps have finished."""
        if len(self.finished) <= FEW:
            return None
        (first, begun), (last, _) = self.finished[0], self.finished[-1]
        return (self.total - last) * (now - begun) / (last - first)

    def line(self, now: float, width: int) -> str:
        left = self.seconds_left(now)
        about = "" if left is None else f"  about {duration(left)} left"
        return f"[{self.done}/{self.total}]{about}  {self.what}"[:width - 1]


def source_of(step: str) -> str:
    """"Building CXX object tests/CMakeFiles/test_base.dir/base/log_test.cc.o" -> "tests/base/log_test.cc"."""
    head, found, tail = step.rpartition(" ")[2].partition("CMakeFiles/")
    return head + tail.partition(".dir/")[2].removesuffix(".o") if found and step.endswith(".o") else step


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def failure_text(progress: Progress, log: list[str]) -> list[str]:
    """Returns a readable text of the first failure: the target, and the beginning of the command's output."""
    if not progress.failures:
        return log[-SHOWN:]
    failure = progress.failures[0]
    text = [f"failed: {failure.target}", *failure.output[:SHOWN]]
    if len(failure.output) > SHOWN:
        text.append(f"... and {len(failure.output) - SHOWN} more lines")
    if any("Killed signal" in line or "out of memory" in line.lower() for line in failure.output):
        text.append("Hint: memory ran out; with JOBS=1 one file is compiled at a time")
    return text


def run(tree: pathlib.Path, jobs: int, targets: list[str]) -> bool:
    """Builds `targets` in `tree`. Returns whether all succeeded."""
    command = ["ninja", "-C", str(tree), "-j", str(jobs), *targets]
    name = f"{' '.join(targets) or 'everything'} in {tree}"
    terminal = sys.stdout.isatty()
    begun, processors = time.monotonic(), processor_seconds()
    progress, log, told = Progress(), [], False
    with open(tree / LOG, "w", errors="replace") as file:
        process, output = start(command, terminal)
        try:
            for line in lines(output):
                now = time.monotonic()
                if line:
                    progress.read(line, now)
                    log.append(line)
                    file.write(line + "\n")
                if terminal and progress.total:
                    print(f"\r{progress.line(now, shutil.get_terminal_size().columns)}\x1b[K", end="", flush=True)
                elif progress.total > FEW and not told:
                    print(f"building {name}: {progress.total} steps, {jobs} at a time; log: {tree / LOG}", flush=True)
                    told = True
            status = process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)  # ninja has had it too if a terminal sent it, and takes one
            process.wait()
            print(f"{clear(terminal)}stopped; what is built stays, and the next build goes on from there", flush=True)
            sys.exit(130)
    seconds, used = time.monotonic() - begun, processor_seconds() - processors
    print(clear(terminal), end="")
    if status == 0:
        print(f"built {name}: {progress.done} steps, {duration(seconds)}, {used:.0f} s of the processors", flush=True)
        return True
    print("\n".join(failure_text(progress, log)))
    print(f"The build failed after {duration(seconds)}. Full output: {(tree / LOG).absolute()}", flush=True)
    return False


def clear(terminal: bool) -> str:
    return "\r\x1b[K" if terminal else ""


def start(command: list[str], terminal: bool) -> tuple[subprocess.Popen, int]:
    """Starts the process; returns it and the stream to read its output from. On a pseudo-terminal ninja also reports
    the commands that it starts."""
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] ", "TERM": "xterm"}
    reader, writer = pty.openpty() if terminal else os.pipe()
    if terminal:
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 4000, 0, 0))  # so wide that nothing is left out
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, env=environment)
    os.close(writer)
    return process, reader


def lines(output: int):
    """Yields lines of the output until its end, without colours; an empty one after each second of silence."""
    rest = b""
    while True:
        if not select.select([output], [], [], 1.0)[0]:
            yield ""
            continue
        try:
            piece = os.read(output, 1 << 16)
        except OSError:  # so ends a terminal
            piece = b""
        *whole, rest = re.split(rb"[\r\n]+|\x1b\[K", rest + piece)  # on a terminal a step ends in "clear to the end of the line"
        for line in [*whole, rest] if not piece else whole:
            text = CONTROL.sub("", line.decode(errors="replace")).rstrip()
            if text:
                yield text
        if not piece:
            os.close(output)
            return


def processor_seconds() -> float:
    """Processor time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
