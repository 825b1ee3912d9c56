#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests a server under load and attacks: clients, networks and machines fail in every way (tests/soak/attacks.py) while
good clients use it.

It begins without an attack, then runs one attack after the other. After each, the server must be in its initial state,
and the good clients must have seen no wrong result and lost no acknowledged data. A client whose session is lost
because a worker or the server was killed begins another. Then servers with planted bugs run, which the same checks must
find. Prints a table, and ends with "N passed, N failed"."""

import argparse
import contextlib
import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "soak"))
import attacks  # noqa: E402
import faults  # noqa: E402
import wire  # noqa: E402
from server import PATIENCE, Server, leftovers  # noqa: E402

CERTIFICATES = ROOT / "tests" / "rpc" / "grpc" / "certificates"
MAX_RATIO = 2  # of a good client's 99th percentile under attack to that of a quiet server
FEW_FILES = 256  # descriptors of a server whose table shall be full


@dataclasses.dataclass
class Attack:
    """`restarts`: good clients may lose sessions. `beside`: the attack runs on the same machine, so the ratio of the
    good clients' times isn't limited."""
    act: object
    restarts: bool = False
    beside: bool = False


ATTACKS = (
    Attack(attacks.clients_killed_in_a_call, beside=True),
    Attack(attacks.workers_killed, restarts=True),
    Attack(attacks.connections_that_say_nothing),
    Attack(attacks.half_open_connections),
    Attack(attacks.slow_readers),
    Attack(attacks.garbage),
    Attack(attacks.oversized_messages),
    Attack(attacks.endless_headers),
    Attack(attacks.reset_streams),
    Attack(attacks.wrong_tokens),
    Attack(attacks.guessed_names),
    Attack(attacks.endless_loops, beside=True),
    Attack(attacks.deadlines, beside=True),
    Attack(attacks.memory_bombs, beside=True),
    Attack(attacks.compile_bombs, beside=True),
    Attack(attacks.cut_connections, beside=True),
)


class Table:
    def __init__(self):
        self.passed = self.failed = self.calls = 0

    def add(self, name: str, acts, seen: dict | None, ratio: str, problems: list[str]):
        self.passed, self.failed = self.passed + (not problems), self.failed + bool(problems)
        calls = seen["calls"] if seen else 0
        self.calls += calls
        times = f"{seen['p50'] / 1000:.1f} / {seen['p99'] / 1000:.1f}" if seen else ""
        print(f"| {name.replace('_', ' ')} | {acts} | {calls} | {seen['restarts'] if seen else ''} | {times} | {ratio} | "
              f"{'; '.join(problems) or 'held'} |", flush=True)


def good_clients(server: Server, seconds: float, sessions: int, port: int | None = None) -> dict:
    with server.client(seconds, sessions, port) as process:
        out, _ = process.communicate(timeout=seconds + 60)
        return json.loads(out)


def problems_of(seen: dict, restarts: bool) -> list[str]:
    problems = [f"{seen[kind]} {kind} ({seen['first']})" for kind in ("wrong", "lost", "leaked") if seen[kind]]
    if not restarts and seen["restarts"]:
        problems.append(f"{seen['restarts']} good sessions lost: {seen['errors']}")
    if not seen["p99"]:
        problems.append("no good client came to a round trip")
    return problems


def under(server: Server, attack: Attack, seconds: float, sessions: int, quiet: dict, table: Table):
    before, stop, acts, failure = server.state(), threading.Event(), [0], []

    def go():
        try:
            acts[0] = attack.act(server, stop)
        except Exception as error:  # told in the table
            failure.append(f"{type(error).__name__}: {error}")

    port = None
    if attack.act is attacks.cut_connections:
        server.proxy = attacks.CuttingProxy(server.port)
        port = server.proxy.port
    thread = threading.Thread(target=go)
    thread.start()
    try:
        seen = good_clients(server, seconds, sessions, port)
        problems = problems_of(seen, attack.restarts)
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        seen, problems = None, [f"good clients: {type(error).__name__}"]
    stop.set()
    thread.join()
    if server.proxy:
        server.proxy.close()
        server.proxy = None
    ratio = seen["p99"] / quiet["p99"] if seen and quiet["p99"] else 0
    if ratio > MAX_RATIO and not attack.beside and not attack.restarts:
        problems.append("good clients are slowed down")
    if not failure and not acts[0]:
        failure.append("the attack did nothing")
    table.add(attack.act.__name__, acts[0], seen, f"{ratio:.2f}", problems + failure + leftovers(server, before))


def attacked(arguments, folder: pathlib.Path, table: Table):
    server = Server(arguments.build, folder)
    attacks.write_programs(folder)
    try:
        good_clients(server, 1, arguments.clients)  # what is made once is there
        before = server.state()
        quiet = good_clients(server, arguments.seconds, arguments.clients)
        table.add("nothing", "", quiet, "1", problems_of(quiet, False) + leftovers(server, before))
        for attack in ATTACKS:
            if arguments.only in (None, "attacked", attack.act.__name__):
                under(server, attack, arguments.seconds, arguments.clients, quiet, table)
    finally:
        status = server.stop()
    table.add("SIGTERM at the end", 1, None, "", [] if status == 0 else [f"exit status {status}"])


def server_killed(arguments, folder: pathlib.Path, table: Table):
    """The server is killed and restarted at the same port; good clients begin new sessions."""
    server, kills, over = Server(arguments.build, folder), [0], threading.Event()

    def go():
        while not over.wait(max(3, arguments.seconds / 2)):  # time to begin new sessions
            server.kill()
            server.start()
            kills[0] += 1

    thread = threading.Thread(target=go)
    thread.start()
    try:
        seen = good_clients(server, arguments.seconds, arguments.clients)
        over.set()
        thread.join()
        table.add("server killed and started", kills[0], seen, "", problems_of(seen, True) + ([] if kills[0] else ["no kill"]))
        after = good_clients(server, max(1, arguments.seconds / 2), arguments.clients)
        table.add("after that", "", after, "", problems_of(after, False))
    finally:
        over.set()
        thread.join()
        server.stop()


def full_file_table(arguments, folder: pathlib.Path, table: Table):
    """Unknown clients open more connections than descriptors. After they end, the next good client is admitted within a
    second."""
    server = Server(arguments.build, folder, files=FEW_FILES)
    try:
        before = server.state()
        attack = Attack(attacks.many_small_files)
        stop, acts = threading.Event(), [0]
        thread = threading.Thread(target=lambda: acts.__setitem__(0, attack.act(server, stop)))
        thread.start()
        time.sleep(min(3, arguments.seconds))  # how long the attack takes
        stop.set()
        thread.join()
        started = time.monotonic()
        seen = good_clients(server, 1, 2)
        took = time.monotonic() - started
        problems = problems_of(seen, False) + ([f"good clients took {took:.1f} s for 1 s"] if took > 3 else [])
        table.add("full file table", acts[0], seen, "", problems + leftovers(server, before))
    finally:
        server.stop()


def full_disk(arguments, folder: pathlib.Path, table: Table):
    """The cache's folder is on a full file system."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(disk)], capture_output=True, text=True)
    if mounted.returncode != 0:
        table.add("full disk", 0, None, "", [f"no file system can be mounted here: {mounted.stderr.strip()}"])
        return
    try:
        with contextlib.suppress(OSError), open(disk / "filler", "wb") as filler:
            while True:
                filler.write(b"x" * 4096)
                filler.flush()
        (disk / "hilo").mkdir(mode=0o700, exist_ok=True)
        server = Server(arguments.build, folder, cache=disk / "hilo")
        try:
            before = server.state()
            seen = good_clients(server, min(3, arguments.seconds), 4)
            table.add("full disk", "", seen, "", problems_of(seen, False) + leftovers(server, before))
        finally:
            server.stop()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def certificates(arguments, folder: pathlib.Path, table: Table):
    """TLS: a client without a certificate of the authority, with one of another authority, or without TLS is rejected;
    a client with one is admitted."""
    for file in CERTIFICATES.iterdir():  # copies that no other user can read: keys of any other mode are refused
        shutil.copyfile(file, folder / file.name)
        (folder / file.name).chmod(0o600)
    files = {name: str(folder / name) for name in ("ca.pem", "server.pem", "server.key")}
    server = Server(arguments.build, folder, "--tls-certificate", files["server.pem"], "--tls-key", files["server.key"],
                    "--tls-client-ca", files["ca.pem"])
    attacks.write_programs(folder)
    try:
        good_before = tls_run(server, tls_of(folder, "client"))  # what is made once is there
        before, refused, problems = server.state(), 0, []
        for own in ("", "stranger", "expired", "plain"):
            done = tls_run(server, {} if own == "plain" else tls_of(folder, own))
            refused += 1
            if done.returncode != 1 or "UNAVAILABLE" not in done.stderr:
                problems.append(f"{own or 'no certificate'}: {done.returncode} {done.stderr.strip()}")
        good = tls_run(server, tls_of(folder, "client"))
        for done in (good_before, good):
            if done.returncode != 0:
                problems.append(f"a good certificate: {done.stderr.strip()}")
        with contextlib.ExitStack() as held:  # handshakes that never end
            for _ in range(100):
                held.enter_context(wire.Peer(server.port)).send(b"\x16\x03\x01")
        table.add("wrong, expired and missing certificates", refused, None, "", problems + leftovers(server, before))
    finally:
        server.stop()


def tls_of(folder: pathlib.Path, own: str) -> dict[str, str]:
    """Returns the environment of a client with this certificate."""
    names = {"HILO_XRT_TLS_CA": "ca.pem"}
    if own:
        names |= {"HILO_XRT_TLS_CERTIFICATE": f"{own}.pem", "HILO_XRT_TLS_KEY": f"{own}.key"}
    return {name: str(folder / file) for name, file in names.items()}


def tls_run(server: Server, environment: dict) -> subprocess.CompletedProcess:
    return attacks.run(server.build / "bin" / "hilo", "run", "twice.hlo", "--random", "1", "--jax_xla_backend=xrt",
                       f"--jax_backend_target=rpc:localhost:{server.port}", cwd=server.folder, env=server.environment(**environment))


def planted_bugs(arguments, folder: pathlib.Path, table: Table):
    """Servers with a planted bug, each of which the good clients' checks must find."""
    program = arguments.build / "bin" / "soak" / "planted"
    for bug, found in (("leak", "leaked"), ("lock", None), ("cross", "wrong")):
        server = Server(arguments.build, folder, "--plant", bug, program=program)
        try:
            with server.client(2, 4) as process:
                out, _ = process.communicate(timeout=2 + PATIENCE)
            seen = json.loads(out)
            problems = [] if found and seen[found] else [f"not found: {seen}"]
        except subprocess.TimeoutExpired:  # how a lock that is taken twice is seen
            seen, problems = None, [] if bug == "lock" else ["good clients don't end"]
        table.add(f"planted: {bug}", 1, None, "", problems)
        server.kill()


PARTS = (attacked, server_killed, full_file_table, full_disk, certificates, planted_bugs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--seconds", type=float, default=8, help="duration of each attack")
    parser.add_argument("--clients", type=int, default=32, help="number of good clients")
    parser.add_argument("--only", help="one attack or part, by the name of its function")
    parser.add_argument("--faults", type=float, metavar="SECONDS", help="instead of attacks: all faults at once, for this many seconds, by --seed")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    if arguments.faults is not None:
        problems = faults.soak(arguments.build, arguments.seed, seconds=arguments.faults)
        print("\n".join(problems))
        print(f"{int(not problems)} passed, {len(problems)} failed")
        return 1 if problems else 0
    known = [part.__name__ for part in PARTS] + [attack.act.__name__ for attack in ATTACKS]
    if arguments.only not in (None, *known):
        parser.error(f"{arguments.only} is none of {', '.join(known)}")
    table = Table()
    print("| what goes wrong | how often | good calls | sessions begun anew | p50 / p99, ms | p99 beside quiet | seen |\n"
          "|---|---|---|---|---|---|---|", flush=True)
    for part in PARTS:
        is_attack = part is attacked and arguments.only not in [one.__name__ for one in PARTS]
        if arguments.only in (None, part.__name__) or is_attack:
            with tempfile.TemporaryDirectory(prefix="hilo_soak_") as folder:
                part(arguments, pathlib.Path(folder), table)
    print(f"\n{table.calls} calls of good clients\n{table.passed} passed, {table.failed} failed")
    return 1 if table.failed or not table.passed else 0


if __name__ == "__main__":
    sys.exit(main())
