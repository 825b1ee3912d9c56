# SPDX-License-Identifier: Apache-2.0
"""faults.py -- well-behaved clients use a server, some of them over a slow network, while a seed selects faults.

Other clients flood, stall and vanish; workers, zygote and server are killed; the disk is full; connections are cut. In
each step every good session makes `--trips` round trips during one fault; some faults last for several steps. A good
client may lose its session only if its worker, the zygote or the server was killed."""

import collections
import contextlib
import json
import os
import pathlib
import random
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import time

import attacks
import proxy
import wire
from server import PATIENCE, Server, leftovers

ROUNDS = 40  # round trips of each session in a step
HERE, OVER_PROXY = 4, 2  # good sessions
HELD_STEPS = 5  # how long what stays stays
STEP_SECONDS = 60  # in which good clients must be done with a step
DISK_BYTES = 4 << 20


class Clients:
    """A process of good sessions that run in steps."""

    def __init__(self, server: Server, port: int, sessions: int, seed: int):
        self.sessions, self.seen = sessions, None
        self.process = subprocess.Popen(
            [str(server.build / "bin" / "soak" / "client"), f"rpc:127.0.0.1:{port}", "steps", str(sessions), str(seed)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=server.environment(HILO_LOG="off"))

    def begin(self):
        self.process.stdin.write(f"{ROUNDS}\n")
        self.process.stdin.flush()

    def end(self) -> dict:
        """Returns the observations since the beginning."""
        with deadline(STEP_SECONDS, "good clients aren't done with a step"):
            self.seen = json.loads(self.process.stdout.readline())
        return self.seen

    def finish(self) -> dict:
        with deadline(STEP_SECONDS, "good clients don't end"):
            self.process.stdin.close()
            self.seen = json.loads(self.process.stdout.read())
            self.process.wait()
        return self.seen

    def kill(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def deadline(seconds: int, what: str):
    """Raises TimeoutError after this time, also inside a read."""
    def late(*_):
        raise TimeoutError(what)
    old = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


class Disk:
    """The file system of the server's cache and audit lines: a small one in a mount namespace of the server. Without
    mount namespaces, the server is only forbidden to write to files, from outside."""

    def __init__(self, folder: pathlib.Path):
        self.place = folder / "disk"
        self.place.mkdir()
        script = f'mount -t tmpfs -o size={DISK_BYTES},mode=700 tmpfs "$0" && mkdir -m 700 "$0/cache" && exec "$@"'
        unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c", script, str(self.place)]
        self.is_own = subprocess.run([*unshare, "true"], capture_output=True).returncode == 0
        self.prefix = unshare if self.is_own else ()
        if not self.is_own:
            (self.place / "cache").mkdir(mode=0o700)

    def filler(self, server: Server) -> pathlib.Path:
        return pathlib.Path(f"/proc/{server.process.pid}/root{self.place}/filler")

    def fill(self, server: Server):
        if not self.is_own:
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return
        with contextlib.suppress(OSError), open(self.filler(server), "wb", buffering=0) as filler:
            while filler.write(b"x" * 4096):
                pass

    def empty(self, server: Server):
        if not self.is_own:
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE,
                             (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            return
        self.filler(server).unlink(missing_ok=True)


class Soak:
    """One run. `problems` lists its errors."""

    def __init__(self, build: pathlib.Path, seed: int, folder: pathlib.Path):
        self.random = random.Random(seed)
        self.folder = folder
        self.disk = Disk(folder)
        self.server = Server(build, folder, cache=self.disk.place / "cache", audit=self.disk.place / "audit",
                             prefix=self.disk.prefix)
        self.proxy = proxy.Proxy(self.server.port)
        self.held = collections.deque()  # (step in which it ends, what ends it)
        self.steps, self.counts, self.problems = 0, collections.Counter(), []
        self.lost = 0  # sessions of good clients
        self.may_lose = 0  # by the last step, which its clients may see in the next one only

    # ---- What goes wrong: each is named in the table. A number that it returns is of sessions that may be lost.

    def nothing(self):
        pass

    def wrong_tokens(self):
        for _ in range(self.random.randrange(1, 20)):
            with self.peer() as peer, contextlib.suppress(OSError):
                peer.begin(self.random.choice([None, "", "x" * 40, self.server.token[:-1]]))

    def garbage(self):
        for _ in range(self.random.randrange(1, 10)):
            with self.peer() as peer, contextlib.suppress(OSError):
                peer.send(self.random.choice([b"", wire.PREFACE]),
                          self.random.randbytes(self.random.randrange(1, 5000)))

    def flood_of_calls(self):
        """A session that requests unknown names as fast as it can write."""
        with self.peer() as peer, contextlib.suppress(OSError):
            peer.begin_session(self.server.token)
            for at in range(1, 2000, 500):
                peer.ask(*(wire.request(at + i, wire.download(os.urandom(16), 0, 4)) for i in range(500)))

    def flood_of_resets(self):
        """Calls with a valid token that are reset at once."""
        with self.peer() as peer, contextlib.suppress(OSError):
            peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0))
            for stream in range(1, 2000, 2):
                peer.send(wire.frame(wire.HEADERS, wire.END_HEADERS, stream, wire.call_headers(self.server.token)),
                          wire.frame(3, 0, stream, struct.pack(">I", 8)))

    def stall(self):
        """A session that requests much data and reads nothing, and silent connections."""
        held = contextlib.ExitStack()
        for _ in range(self.random.randrange(1, 30)):
            held.enter_context(self.peer())
        peer = held.enter_context(self.peer(receive_buffer=4096))
        name = os.urandom(16)
        with contextlib.suppress(OSError):
            peer.begin_session(self.server.token)
            peer.ask(wire.request(1, wire.undefined_buffer(name, 1 << 18)))
            peer.ask(*(wire.request(2 + i, wire.download(name, 0, 1 << 20)) for i in range(50)))
        self.held.append((self.steps + self.random.randrange(1, HELD_STEPS), held.close))

    def vanish(self):
        """Sessions whose client resets its connection in the middle of a message."""
        for _ in range(self.random.randrange(1, 4)):
            with self.peer() as peer, contextlib.suppress(OSError):
                peer.begin_session(self.server.token)
                message = wire.batch(wire.request(1, wire.undefined_buffer(os.urandom(16), 1 << 16)))
                peer.send(wire.frame(wire.DATA, 0, 1, message[:self.random.randrange(1, len(message))]))
                peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def client_killed(self):
        """A good client with two sessions, which is killed after they have begun."""
        other = Clients(self.server, self.server.port, 2, self.random.getrandbits(32))
        try:
            other.begin()
            other.end()
            other.begin()
        finally:
            other.kill()

    def cut_network(self):
        self.proxy.cut()

    def slow_network(self):
        self.proxy.delay(self.random.uniform(0, 0.01))

    def full_disk(self):
        self.disk.fill(self.server)
        self.held.append((self.steps + self.random.randrange(1, HELD_STEPS), lambda: self.disk.empty(self.server)))

    def worker_killed(self):
        workers = self.server.workers()
        if workers:
            self.kill(self.random.choice(sorted(workers)))
        return 1

    def zygote_killed(self):
        """It is replaced, or the server ends with an error and is restarted, as by a supervisor."""
        old, end = set(self.server.zygotes()), time.monotonic() + PATIENCE
        for zygote in old:
            self.kill(zygote)
        while not set(self.server.zygotes()) - old and self.server.process.poll() is None:
            if time.monotonic() > end:
                raise TimeoutError("the zygote isn't replaced")
            time.sleep(0.005)  # what is waited for is another process's
        if self.server.process.poll() is None:
            return 0  # sessions that run go on
        if self.server.process.returncode == 0:
            self.problems.append("the server ended without an error when its zygote was killed")
        self.server.kill()
        self.server.start()
        return HERE + OVER_PROXY

    def server_killed(self):
        self.server.kill()
        self.server.start()
        return HERE + OVER_PROXY

    FAULTS = (nothing, wrong_tokens, garbage, flood_of_calls, flood_of_resets, stall, vanish, client_killed,
              cut_network,
              slow_network, full_disk, worker_killed, zygote_killed, server_killed)

    # ---- The run.

    def peer(self, **options) -> wire.Peer:
        return wire.Peer(self.server.port, **options)

    @staticmethod
    def kill(process: int):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

    def step(self, fault, clients: list[Clients]):
        self.steps += 1
        self.counts[fault.__name__] += 1
        for one in clients:
            one.begin()
        may_lose = 0
        try:
            may_lose = fault(self) or 0
        except OSError as error:  # a server that is about to be started again refuses connections
            self.problems.append(f"step {self.steps}, {fault.__name__}: {error}")
        for held in [one for one in self.held if one[0] <= self.steps]:
            self.held.remove(held)
            held[1]()
        for one in clients:
            one.end()
        lost = sum(one.seen["restarts"] for one in clients) - self.lost
        self.lost += lost
        if lost > self.may_lose + may_lose:
            self.problems.append(f"step {self.steps}, {fault.__name__}: {lost} sessions of good clients are lost; "
                                 f"{self.may_lose + may_lose} may be")
        self.may_lose = max(0, may_lose - lost)
        self.look(clients, f"step {self.steps}, {fault.__name__}")

    def look(self, clients: list[Clients], when: str):
        for one in clients:
            for kind in ("wrong", "lost", "leaked"):
                if one.seen[kind]:
                    self.problems.append(f"{when}: {one.seen[kind]} {kind} ({one.seen['first']})")

    def run(self, steps: int | None, seconds: float | None) -> list[str]:
        """A number of steps, or a time; each fault comes once before any comes again."""
        end, order = time.monotonic() + (seconds or 0), []
        clients = []
        try:
            before = self.server.state()
            clients = [Clients(self.server, self.server.port, HERE, self.random.getrandbits(32)),
                       Clients(self.server, self.proxy.port, OVER_PROXY, self.random.getrandbits(32))]
            while (self.steps < steps if seconds is None else time.monotonic() < end) and not self.problems:
                order = order or self.random.sample(self.FAULTS, len(self.FAULTS))
                self.step(order.pop(), clients)
            self.close_held()
            for one in clients:
                one.finish()
            self.look(clients, "at the end")
            self.problems += leftovers(self.server, before)
        except (TimeoutError, ValueError, OSError, AssertionError) as error:
            self.problems.append(f"step {self.steps}, {dict(self.counts)}: {type(error).__name__}: {error}")
        finally:
            self.close_held()
            for one in clients:
                one.kill()
            self.proxy.close()
            status = self.server.stop()
        if status != 0:
            self.problems.append(f"after SIGTERM: exit status {status}")
        self.report(clients)
        if self.problems:
            self.problems.append(f"the server said:\n{self.server.said()}")
        return self.problems

    def close_held(self):
        while self.held:
            self.held.popleft()[1]()

    def report(self, clients: list[Clients]):
        print(", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(self.counts.items())))
        for name, one in zip(("here", "over the proxy"), clients):
            if one.seen:
                print(f"{name}: {one.seen['calls']} calls, {one.seen['restarts']} sessions begun anew, round trip p50 "
                      f"{one.seen['p50'] / 1000:.1f} ms, p99 {one.seen['p99'] / 1000:.1f} ms")


def soak(build: pathlib.Path, seed: int, steps: int | None = None, seconds: float | None = None) -> list[str]:
    """Returns the errors of one run; prints the faults and latencies."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="hilo_soak_") as folder:
        one = Soak(build, seed, pathlib.Path(folder))
        problems = one.run(steps, seconds)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"seed {seed}: {one.steps} steps, {now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime:.1f} processor seconds")
    return problems
