# SPDX-License-Identifier: Apache-2.0
"""attacks.py -- attacks of bad clients, networks and machines on a server while good clients use it.

Each attack runs until it is stopped, counts its actions, and fails if the server doesn't do what docs/security.md
promises."""

import contextlib
import os
import pathlib
import random
import select
import signal
import socket
import struct
import subprocess
import threading
import time

import wire

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
TWICE = "HloModule twice\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, x)\n}\n"
MEMORY_BOMB = """HloModule bomb
ENTRY e {
  x = f32[] parameter(0)
  ROOT y = f32[17179869184] broadcast(x), dimensions={}
}
"""
DEEP_LEVELS = 40  # calls of calls: 2^40 instructions


def compile_bomb() -> str:
    text = "HloModule deep\nf0 {\n  x = f32[] parameter(0)\n  ROOT y = f32[] sine(x)\n}\n"
    for i in range(1, DEEP_LEVELS):
        text += (f"f{i} {{\n  x = f32[] parameter(0)\n  a = f32[] call(x), to_apply=f{i - 1}\n"
                 f"  ROOT b = f32[] call(a), to_apply=f{i - 1}\n}}\n")
    return text + f"ENTRY e {{\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=f{DEEP_LEVELS - 1}\n}}\n"


def until_stopped(server, stop: threading.Event, act) -> int:
    """Calls act(i) repeatedly; returns the number of calls."""
    count = 0
    while not stop.is_set():
        act(count)
        count += 1
    return count


# ---- Clients and workers that die.

def clients_killed_in_a_call(server, stop) -> int:
    def act(_):
        with server.client(seconds=60, sessions=2) as client:
            time.sleep(random.uniform(0.05, 0.5))
            client.kill()
    return until_stopped(server, stop, act)


def workers_killed(server, stop) -> int:
    def act(_):
        workers = server.workers()
        if workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(workers), signal.SIGKILL)
        stop.wait(0.3)
    return until_stopped(server, stop, act)


# ---- Bad connections.

def connections_that_say_nothing(server, stop) -> int:
    """Half of them connect and wait; the others send the beginning of a header and wait."""
    def act(i):
        with contextlib.ExitStack() as held:
            for k in range(64):
                peer = held.enter_context(wire.Peer(server.port))
                if k % 2:
                    with contextlib.suppress(OSError):
                        peer.send(wire.PREFACE[:10 + i % 10])
            stop.wait(0.5)
    return until_stopped(server, stop, act) * 64


def half_open_connections(server, stop) -> int:
    """Sessions whose client has vanished for the server: it is stopped in a call, or has closed its own half and sends
    nothing more. Their workers end too."""
    with contextlib.ExitStack() as held:
        clients = [held.enter_context(server.client(seconds=600, sessions=2)) for _ in range(2)]
        stop.wait(1)
        for client in clients:
            client.send_signal(signal.SIGSTOP)
        for _ in range(16):
            peer = held.enter_context(wire.Peer(server.port))
            peer.begin_session(server.token)
            peer.socket.shutdown(socket.SHUT_WR)
        stop.wait()
    return 2 * 2 + 16


def slow_readers(server, stop) -> int:
    """Sessions that request much data and read nothing: the server buffers a few MiB for each, and its worker waits."""
    with contextlib.ExitStack() as held:
        for _ in range(4):
            peer = held.enter_context(wire.Peer(server.port, receive_buffer=4096))
            peer.begin_session(server.token)
            name = os.urandom(16)
            peer.ask(wire.request(1, wire.undefined_buffer(name, 1 << 20)))
            with contextlib.suppress(OSError):
                peer.ask(*(wire.request(2 + i, wire.download(name, 0, 1 << 20)) for i in range(200)))
        stop.wait()
    return 4 * 200


def garbage(server, stop) -> int:
    """Bytes that aren't HTTP/2, and invalid frames, messages, batches and requests."""
    def act(i):
        junk = random.randbytes(random.randrange(1, 3000))
        with wire.Peer(server.port) as peer, contextlib.suppress(OSError):
            if i % 5 == 0:
                peer.send(junk)
            elif i % 5 == 1:
                peer.send(wire.PREFACE, wire.frame(random.randrange(256), random.randrange(256), 1, junk))
            elif i % 5 == 2:
                peer.begin(server.token)
                peer.send(wire.frame(wire.DATA, 0, 1, b"\0" + struct.pack(">I", len(junk)) + junk))
            elif i % 5 == 3:
                peer.begin_session(server.token)
                peer.ask(junk)
            else:
                peer.begin(server.token)
                peer.ask(wire.request(0, junk))
            peer.socket.settimeout(0.02)  # so that sessions don't use up the quota
            peer.read_until(b"nothing of this")
    return until_stopped(server, stop, act)


def oversized_messages(server, stop) -> int:
    """Messages of 1 GiB, by an admitted client that ignores the flow-control window. The server cuts them off."""
    def act(_):
        with wire.Peer(server.port) as peer:
            peer.begin(server.token)
            sent = 0
            with contextlib.suppress(OSError):
                peer.send(wire.frame(wire.DATA, 0, 1, b"\0" + struct.pack(">I", 1 << 30)))
                while sent < 256 << 20:
                    peer.send(wire.frame(wire.DATA, 0, 1, b"x" * 16384))
                    sent += 16384
            assert sent < 256 << 20, "a message of any size is taken"
    return until_stopped(server, stop, act)


def endless_headers(server, stop) -> int:
    """Endless CONTINUATION frames, and one text of 1 GiB, both before a token is checked. The server cuts them off."""
    def act(i):
        with wire.Peer(server.port) as peer:
            sent = 0
            try:
                if i % 2:
                    announced = bytes([0, 0x7F]) + wire.varint((1 << 30) - 127)  # a name of 2^30 bytes
                    peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0), wire.frame(wire.HEADERS, 0, 1, announced))
                else:
                    peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0),
                              wire.frame(wire.HEADERS, 0, 1, wire.header("a", "b")))
                block = wire.frame(wire.CONTINUATION, 0, 1, wire.header("a", "b") * 2000 if i % 2 == 0 else b"x" * 16384)
                while sent < 64 << 20 and not stop.is_set():
                    peer.send(block)
                    sent += len(block)
            except OSError:
                pass  # it was cut
            assert sent < 64 << 20, f"{sent} bytes of headers were taken of a stranger"
    return until_stopped(server, stop, act)


def reset_streams(server, stop) -> int:
    """Calls that are reset at once, thousands on a connection (CVE-2023-44487)."""
    def act(_):
        with wire.Peer(server.port) as peer, contextlib.suppress(OSError):
            peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0))
            for stream in range(1, 4000, 2):
                peer.send(wire.frame(wire.HEADERS, wire.END_HEADERS, stream, wire.call_headers(None)),
                          wire.frame(3, 0, stream, struct.pack(">I", 8)))
    return until_stopped(server, stop, act) * 2000


# ---- Who isn't let in, and who asks for what isn't theirs.

def wrong_tokens(server, stop) -> int:
    wrong = [None, "", server.token[:-1], server.token + "x", server.token.swapcase(), "x" * 4000]
    def act(i):
        with wire.Peer(server.port) as peer, contextlib.suppress(OSError):
            peer.begin(wrong[i % len(wrong)])
            peer.ask(wire.request(0, wire.hello(os.urandom(16))))
            got = peer.read_until(b"token")
            assert b"token" in got and b"Host" not in got, f"somebody without the token got {got!r}"
    return until_stopped(server, stop, act)


def guessed_names(server, stop) -> int:
    """A session that requests buffers, executables and sessions by guessed names: 500 at once."""
    def act(_):
        with wire.Peer(server.port) as peer:
            peer.begin_session(server.token)
            guesses = []
            for i in range(1, 500):
                name = os.urandom(16)
                guesses.append(wire.request(i, wire.download(name, 0, 4) if i % 2 else wire.execute(name, name, name)))
            peer.ask(*guesses)
            got = peer.read_until(b"no such executable")
            assert b"no such executable" in got, got[:200]
        with wire.Peer(server.port) as peer, contextlib.suppress(OSError):  # another client's session
            peer.begin(server.token, "Bytes")
            peer.ask(wire.request(0, wire.hello(os.urandom(16))))
            got = peer.read_until(b"no such session")
            assert b"no such session" in got, got[:200]
        stop.wait(0.05)  # so that sessions don't use up the quota
    return until_stopped(server, stop, act) * 500


# ---- Programs that take too much.

def endless_loops(server, stop) -> int:
    """They end at the server's time limit, and their worker runs the next one."""
    return until_stopped(server, stop, lambda _: server.refuses("forever.hlo", "DEADLINE_EXCEEDED"))


def deadlines(server, stop) -> int:
    """Runs with a short deadline of their client."""
    return until_stopped(server, stop, lambda _: server.refuses("forever.hlo", "DEADLINE_EXCEEDED", "--timeout", "0.2"))


def memory_bombs(server, stop) -> int:
    return until_stopped(server, stop, lambda _: server.refuses("memory_bomb.hlo", "RESOURCE_EXHAUSTED"))


def compile_bombs(server, stop) -> int:
    return until_stopped(server, stop, lambda _: server.refuses("compile_bomb.hlo", "RESOURCE_EXHAUSTED"))


def many_small_files(server, stop) -> int:
    """More connections than the server has file descriptors; they close after half a second."""
    def act(_):
        with contextlib.ExitStack() as held:
            for _ in range(600):
                with contextlib.suppress(OSError):
                    held.enter_context(wire.Peer(server.port))
            stop.wait(0.5)
    return until_stopped(server, stop, act) * 600


# ---- A network that breaks.

class CuttingProxy:
    """Forwards connections to a server, and cuts all of them from time to time."""

    def __init__(self, port: int):
        self.target = port
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listening.getsockname()[1]
        self.pairs, self.lock, self.over, self.cuts = {}, threading.Lock(), threading.Event(), 0
        self.thread = threading.Thread(target=self.pump)
        self.thread.start()

    def pump(self):
        while not self.over.is_set():
            ready, _, _ = select.select([self.listening, *self.pairs], [], [], 0.1)
            for one in ready:
                if one is self.listening:
                    self.take()
                elif one in self.pairs:
                    self.carry(one)
            if self.cuts_asked:
                self.cuts_asked, self.cuts = False, self.cuts + 1
                for one in list(self.pairs):
                    self.drop(one)

    cuts_asked = False

    def take(self):
        here, _ = self.listening.accept()
        there = socket.create_connection(("127.0.0.1", self.target))
        for one in (here, there):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pairs[here], self.pairs[there] = there, here

    def carry(self, one):
        try:
            data = one.recv(1 << 16)
            if data:
                self.pairs[one].sendall(data)
                return
        except OSError:
            pass
        self.drop(one)

    def drop(self, one):
        other = self.pairs.pop(one, None)
        if other is not None:
            self.pairs.pop(other, None)
            one.close()
            other.close()

    def close(self):
        self.over.set()
        self.thread.join()
        for one in list(self.pairs):
            self.drop(one)
        self.listening.close()


def cut_connections(server, stop) -> int:
    """Cuts all connections of the good clients, about once a second. More often, the clients can't reconnect in
    time on a busy machine, which would not test the server."""
    while not stop.wait(random.uniform(0.5, 1.5)):
        server.proxy.cuts_asked = True
    return server.proxy.cuts


def write_programs(folder: pathlib.Path):
    for name, text in {"forever": FOREVER, "twice": TWICE, "memory_bomb": MEMORY_BOMB, "compile_bomb": compile_bomb()}.items():
        (folder / f"{name}.hlo").write_text(text)


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, **options)
