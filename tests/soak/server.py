# SPDX-License-Identifier: Apache-2.0
"""server.py -- a server process for soak tests, and its state as seen from outside."""

import contextlib
import os
import pathlib
import resource
import secrets
import signal
import socket
import subprocess
import time
import urllib.request

import attacks

MAX_GROWTH = 48 << 20  # bytes that the server may have more after an attack: what its allocators keep
PATIENCE = 10  # seconds until the remains of an attack must be released
LIMITS = ("--max-run-seconds", "0.5", "--max-compile-seconds", "5", "--max-live-bytes", str(1 << 30),
          "--max-worker-memory", str(16 << 30), "--grace", "5", "--drain", "0", "--max-sessions", "512")


class Server:
    """A server process, and its state as seen from outside."""

    def __init__(self, build: pathlib.Path, folder: pathlib.Path, *arguments, program=None, files=None, cache="off",
                 audit=None,
                 prefix=()):
        """`prefix`: a command that starts the server as its last arguments say. `audit`: the file of its audit
        lines."""
        self.build, self.folder, self.proxy = build, folder, None
        self.token = secrets.token_hex(16)
        self.token_file = folder / "token"
        self.token_file.write_text(self.token)
        self.token_file.chmod(0o600)
        self.files, self.cache = files, cache
        self.command = [*prefix, program or build / "bin" / "hilo", "serve", "--token-file", self.token_file, "--audit",
                        audit or folder / "audit", *LIMITS, *arguments]
        self.port = self.metrics = 0
        self.log = open(folder / "log", "ab")  # noqa: SIM115 -- of each process of this server
        self.start()

    def start(self):
        """Starts the server, at its previous port if it had one."""
        port_file, metrics = self.folder / "port", free_port()
        port_file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*map(str, self.command), "--listen", f"127.0.0.1:{self.port}", "--port-file", str(port_file), "--metrics",
             f"127.0.0.1:{metrics}"], cwd=self.folder, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env=self.environment(),
            preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))) if self.files
            else None)
        line = self.process.stdout.readline()  # it is written once the server is up
        assert line.startswith("serving at"), f"the server doesn't start: {line}{self.said()}"
        self.port, self.metrics = int(port_file.read_text()), metrics

    def environment(self, **more: str) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.upper().startswith(("JAX_", "HILO_"))}
        return {**own, "HILO_CACHE": str(self.cache), "HILO_XRT_TOKEN_FILE": str(self.token_file), **more}

    @contextlib.contextmanager
    def client(self, seconds: float, sessions: int, port: int | None = None):
        """Starts good clients: a process that is killed at the end."""
        with subprocess.Popen([str(self.build / "bin" / "soak" / "client"), f"rpc:127.0.0.1:{port or self.port}", str(seconds),
                               str(sessions), str(secrets.randbits(32))], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL,
                              text=True, env=self.environment()) as process:
            try:
                yield process
            finally:
                process.kill()

    def refuses(self, program: str, code: str, *more: str):
        done = attacks.run(self.build / "bin" / "hilo", "run", program, "--random", "1", *more, "--jax_xla_backend=xrt",
                           f"--jax_backend_target=rpc:127.0.0.1:{self.port}", cwd=self.folder, env=self.environment())
        assert done.returncode == 1 and code in done.stderr, f"{program}: wanted {code}; got {done.returncode} {done.stderr}"

    def zygotes(self) -> list[int]:
        return children(self.process.pid)

    def workers(self) -> list[int]:
        return [worker for zygote in self.zygotes() for worker in children(zygote)]

    def sessions(self) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/metrics", timeout=5) as reply:
            return next(int(line.split()[1]) for line in reply.read().decode().splitlines() if line.startswith("hilo_sessions "))

    def state(self) -> tuple[int, int, int, int]:
        """Sessions, workers, open files, bytes of memory."""
        files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        pages = int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return self.sessions(), len(self.workers()), files, pages * resource.getpagesize()

    def said(self) -> str:
        """Returns the end of the server's output."""
        return (self.folder / "log").read_text(errors="replace")[-2000:]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        status = self.process.poll()
        self.kill()
        return -1 if status is None else status


def children(pid: int) -> list[int]:
    """Returns the child processes of all threads: Linux lists them by the thread that started them."""
    try:
        return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                for child in (task / "children").read_text().split()]
    except FileNotFoundError:  # it ended meanwhile
        return []


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def leftovers(server: Server, before: tuple) -> list[str]:
    """Returns the remains of an attack that exist for longer than allowed."""
    end = time.monotonic() + PATIENCE
    while True:
        after = server.state()
        names = ("sessions", "workers", "files")
        problems = [f"{after[i]} {name}, {before[i]} before" for i, name in enumerate(names) if after[i] > before[i]]
        if after[3] > before[3] + MAX_GROWTH:
            problems.append(f"{(after[3] - before[3]) >> 20} MiB more")
        if not problems or time.monotonic() > end:
            return problems
        time.sleep(0.05)  # what is waited for is another process's
