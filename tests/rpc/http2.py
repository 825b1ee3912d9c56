# SPDX-License-Identifier: Apache-2.0
"""http2.py -- limits of the resources that one connection uses on a server before and after authentication: streams,
headers, frames, pings, settings and resets."""

import contextlib
import os
import pathlib
import resource
import socket
import struct
import sys

from command import ROOT, holds
from served import remote, server

sys.path.insert(0, str(ROOT / "tests" / "soak"))
import wire  # noqa: E402

TOKEN = "0123456789abcdef"
RUN = ("run", "double.hlo", "--random", "1")
RST_STREAM = 3
MAX_STREAMS, MAX_WINDOW, MAX_HEADER_LIST = 3, 4, 6  # numbers of settings
MAX_GROWTH = 64 << 20  # bytes of the server, whatever a connection does


@contextlib.contextmanager
def attacked(place):
    """Starts a server with a token. After the attack it has released its resources, and serves the next client."""
    secret = place.folder / "secret"
    secret.write_text(TOKEN)
    secret.chmod(0o600)
    with server(place, "--token-file", "secret") as process:
        port = int(process.target.rpartition(":")[2])
        run = remote(process, *RUN)
        place.good(*run, environment={"HILO_XRT_TOKEN_FILE": str(secret)})
        before = memory(process)
        yield port
        assert memory(process) < before + MAX_GROWTH, f"{before} bytes before, {memory(process)} after"
        place.good(*run, environment={"HILO_XRT_TOKEN_FILE": str(secret)})


def memory(process) -> int:
    return int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * resource.getpagesize()


def audit(place) -> str:
    return (place.folder / "audit").read_text()


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """Kinds and payloads of whole frames."""
    found = []
    while len(data) >= 9 and len(data) >= 9 + int.from_bytes(data[:3], "big"):
        size = int.from_bytes(data[:3], "big")
        found.append((data[3], data[9:9 + size]))
        data = data[9 + size:]
    return found


def settings_are_bounded(place):
    with attacked(place) as port, wire.Peer(port) as peer:
        peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0))
        got = b""
        while not any(kind == wire.SETTINGS and payload for kind, payload in frames(got)):
            got += peer.read()
        (payload, *_) = [payload for kind, payload in frames(got) if kind == wire.SETTINGS and payload]
        settings = dict(struct.unpack_from(">HI", payload, at) for at in range(0, len(payload), 6))
        assert settings[MAX_STREAMS] == 16, settings
        assert settings[MAX_HEADER_LIST] <= 16 << 10, settings
        assert settings[MAX_WINDOW] <= 16 << 20, settings


def more_streams_than_allowed_are_cut(place):
    """gRPC enforces its own limit only for clients that have acknowledged it."""
    for acknowledges in (False, True):
        with attacked(place) as port, wire.Peer(port) as peer:
            with contextlib.suppress(OSError):
                peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0))
                if acknowledges:
                    peer.send(wire.frame(wire.SETTINGS, wire.ACK, 0))
                for stream in range(1, 200, 2):
                    peer.send(wire.frame(wire.HEADERS, wire.END_HEADERS, stream, wire.call_headers(TOKEN)))
            assert peer.is_cut(), "100 streams are open at once"
    holds(audit(place), "more than 32 concurrent calls")


def a_long_header_is_refused(place):
    for acknowledges in (False, True):
        with attacked(place) as port, wire.Peer(port) as peer:
            block = wire.call_headers(TOKEN, more="x" * 15000)
            acknowledged = [wire.frame(wire.SETTINGS, wire.ACK, 0)] if acknowledges else []
            peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0), *acknowledged,
                      wire.frame(wire.HEADERS, wire.END_HEADERS, 1, block))
            with contextlib.suppress(OSError):
                peer.ask(wire.request(0, wire.hello(os.urandom(16))))
                peer.socket.shutdown(socket.SHUT_WR)
            assert b"Host" not in peer.read_until(b"Host", 4096), "a header of 15 KB was taken"
    holds(audit(place), "the headers are too long")


def flood(place, what: bytes, bytes_at_most: int):
    """An admitted client sends this again and again; the connection is cut before this many bytes came."""
    with attacked(place) as port, wire.Peer(port) as peer:
        peer.begin_session(TOKEN)
        holds(repr(peer.read_until(b"Host")), "Host")
        sent, block = 0, what * max(1, 16384 // len(what))
        with contextlib.suppress(OSError):
            while sent < bytes_at_most:
                peer.send(block)
                sent += len(block)
        assert sent < bytes_at_most, f"{sent} bytes were taken"


def a_flood_of_pings_is_cut(place):
    flood(place, wire.frame(wire.PING, 0, 0, b"12345678"), 64 << 20)


def a_frame_that_is_too_long_is_cut(place):
    flood(place, wire.frame(wire.PING, 0, 0, b"x" * (1 << 20)), 64 << 20)


def a_flood_of_resets_is_cut(place):
    """CVE-2023-44487, by a client with the token."""
    with attacked(place) as port, wire.Peer(port) as peer:
        calls = 0
        with contextlib.suppress(OSError):
            peer.send(wire.PREFACE, wire.frame(wire.SETTINGS, 0, 0))
            for stream in range(1, 200000, 2):
                peer.send(wire.frame(wire.HEADERS, wire.END_HEADERS, stream, wire.call_headers(TOKEN)),
                          wire.frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))
                calls += 1
        assert calls < 50000, f"{calls} calls were taken back"
    holds(audit(place), '"event": "cut"')  # by the first of several limits that it exceeds


def settings_that_nobody_reads_the_answers_of_take_no_memory(place):
    """CVE-2019-9515: each requires an answer, which the client doesn't read."""
    with attacked(place) as port, wire.Peer(port, receive_buffer=4096) as peer:
        peer.begin_session(TOKEN)
        peer.socket.settimeout(1)
        block = wire.frame(wire.SETTINGS, 0, 0) * 1000
        with contextlib.suppress(OSError):  # it is cut, or not read
            for _ in range(2000):
                peer.send(block)


def empty_frames_take_no_memory(place):
    """CVE-2019-9518: data frames of zero bytes, which flow-control windows don't count."""
    with attacked(place) as port, wire.Peer(port) as peer:
        peer.begin_session(TOKEN)
        with contextlib.suppress(OSError):
            for _ in range(200):
                peer.send(wire.frame(wire.DATA, 0, 1) * 1000)


CASES = (settings_are_bounded, more_streams_than_allowed_are_cut, a_long_header_is_refused, a_flood_of_pings_is_cut,
         a_frame_that_is_too_long_is_cut, a_flood_of_resets_is_cut,
         settings_that_nobody_reads_the_answers_of_take_no_memory,
         empty_frames_take_no_memory)
