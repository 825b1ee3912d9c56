# SPDX-License-Identifier: Apache-2.0
"""proxy.py -- a slow network: forwards connections on loopback to a server, delays each chunk, and cuts connections on
request."""

import collections
import contextlib
import os
import selectors
import socket
import threading
import time

CHUNK = 1 << 16
MAX_WAITING = 1 << 20  # bytes of one direction that are on their way; further bytes wait at the sender


class Way:
    """One direction of a connection."""

    def __init__(self, here: socket.socket, there: socket.socket):
        self.here, self.there, self.waiting, self.bytes, self.is_over = here, there, collections.deque(), 0, False


class Proxy:
    """One thread; `delay` and `cut` may be called from any other."""

    def __init__(self, port: int):
        self.target, self.seconds, self.cuts = port, 0.0, 0
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.listening.setblocking(False)
        self.port = self.listening.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.orders, self.told = os.pipe()
        os.set_blocking(self.orders, False)
        self.selector.register(self.listening, selectors.EVENT_READ)
        self.selector.register(self.orders, selectors.EVENT_READ)
        self.ways: dict[socket.socket, Way] = {}
        self.is_over = False
        self.thread = threading.Thread(target=self.carry)
        self.thread.start()

    def delay(self, seconds: float):
        """Sets the one-way delay of later chunks."""
        self.seconds = seconds

    def cut(self):
        """Cuts all connections, and drops the chunks in transit."""
        os.write(self.told, b"c")

    def close(self):
        self.is_over = True
        os.write(self.told, b"e")
        self.thread.join()
        for one in (self.listening, self.selector):
            one.close()
        os.close(self.orders)
        os.close(self.told)

    def carry(self):
        while not self.is_over:
            for key, _ in self.selector.select(self.until_next()):
                if key.fileobj is self.listening:
                    self.take()
                elif key.fileobj == self.orders:
                    if b"c" in os.read(self.orders, 64):
                        self.cuts += 1
                        self.drop_all()
                elif key.fileobj in self.ways:
                    self.read(self.ways[key.fileobj])
            self.pass_on()
        self.drop_all()

    def until_next(self) -> float | None:
        """Returns the seconds until the next chunk is due; None: no chunk is in transit."""
        due = [way.waiting[0][0] for way in self.ways.values() if way.waiting]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def take(self):
        with contextlib.suppress(OSError):
            here, _ = self.listening.accept()
            try:
                there = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:  # there is no server, which its client sees as the end of the stream
                here.close()
                return
            for one, other in ((here, there), (there, here)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                one.settimeout(5)  # of a write, to a peer that doesn't read
                self.ways[one] = Way(one, other)
                self.selector.register(one, selectors.EVENT_READ)

    def read(self, way: Way):
        try:
            data = way.here.recv(CHUNK)
        except OSError:
            data = b""
        way.waiting.append((time.monotonic() + self.seconds, data))
        way.bytes += len(data)
        if not data or way.bytes > MAX_WAITING:
            self.selector.unregister(way.here)
            way.is_over = not data

    def pass_on(self):
        now = time.monotonic()
        for way in list(self.ways.values()):
            while way.waiting and way.waiting[0][0] <= now and way.here in self.ways:
                data = way.waiting.popleft()[1]
                was_full, way.bytes = way.bytes > MAX_WAITING, way.bytes - len(data)
                try:
                    if not data:
                        raise ConnectionError("the end")
                    way.there.sendall(data)
                    if was_full and way.bytes <= MAX_WAITING and not way.is_over:
                        self.selector.register(way.here, selectors.EVENT_READ)
                except OSError:
                    self.drop(way)

    def drop(self, way: Way):
        for one in (way.here, way.there):
            self.ways.pop(one, None)
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(one)
            one.close()

    def drop_all(self):
        for way in list(self.ways.values()):
            self.drop(way)
