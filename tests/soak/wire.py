# SPDX-License-Identifier: Apache-2.0
"""wire.py -- a manually written client of hilo.xrt.v1, which can violate the protocol.

It has HTTP/2 frames, headers without compression, and the few messages that attacks need
(src/hilo/rpc/proto/hilo/xrt/v1/xrt.proto). Source: RFC 9113 (HTTP/2), RFC 7541 (HPACK), gRPC over HTTP/2."""

import os
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING, CONTINUATION = 0, 1, 4, 6, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def text(value: str) -> bytes:
    """Encodes a literal, with its length as an integer with a prefix of seven bits."""
    size = len(value)
    return (bytes([size]) if size < 127 else b"\x7f" + varint(size - 127)) + value.encode()


def header(name: str, value: str) -> bytes:
    """A field without indexing."""
    return b"\0" + text(name) + text(value)


def call_headers(token: str | None, method: str = "Calls", **more: str) -> bytes:
    fields = {":method": "POST", ":scheme": "http", ":path": f"/hilo.xrt.v1.Xrt/{method}", ":authority": "soak",
              "te": "trailers", "content-type": "application/grpc", **{k.replace("_", "-"): v for k, v in more.items()}}
    if token is not None:
        fields["authorization"] = f"Bearer {token}"
    return b"".join(header(name, value) for name, value in fields.items())


def varint(value: int) -> bytes:
    out = b""
    value &= (1 << 64) - 1
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def integer(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def piece(number: int, value: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(value)) + value


def hello(session: bytes) -> bytes:
    return piece(10, integer(1, 1) + piece(2, session) + integer(4, 1))


def undefined_buffer(name: bytes, elements: int) -> bytes:
    shape = integer(2, 11) + integer(3, elements) + piece(5, integer(1, 0))  # f32[elements]{0}
    return piece(13, piece(1, name) + piece(3, shape) + integer(6, 1))


def download(name: bytes, offset: int, size: int) -> bytes:
    return piece(15, piece(1, name) + integer(2, offset) + integer(3, size))


def execute(executable: bytes, argument: bytes, result: bytes) -> bytes:
    return piece(20, piece(1, executable) + piece(2, piece(1, argument) + piece(2, result)))


def request(number: int, body: bytes) -> bytes:
    return integer(1, number) + body


def batch(*requests: bytes) -> bytes:
    """One message of gRPC."""
    inner = b"".join(piece(1, one) for one in requests)
    return b"\0" + struct.pack(">I", len(inner)) + inner


class Peer:
    """One connection, which may be left in any state."""

    def __init__(self, port: int, receive_buffer: int | None = None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(5)
        self.socket.connect(("127.0.0.1", port))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, *parts: bytes):
        self.socket.sendall(b"".join(parts))

    def begin(self, token: str | None, method: str = "Calls", **more: str):
        self.send(PREFACE, frame(SETTINGS, 0, 0), frame(HEADERS, END_HEADERS, 1, call_headers(token, method, **more)))

    def begin_session(self, token: str | None) -> bytes:
        session = os.urandom(16)
        self.begin(token)
        self.ask(request(0, hello(session)))
        return session

    def ask(self, *requests: bytes):
        message = batch(*requests)
        for at in range(0, len(message), 16384):
            self.send(frame(DATA, 0, 1, message[at:at + 16384]))

    def read(self, size: int = 65536) -> bytes:
        """Returns the available bytes; none after the other side has closed the connection, or after a timeout."""
        try:
            return self.socket.recv(size)
        except OSError:
            return b""

    def read_until(self, wanted: bytes, most: int = 1 << 20) -> bytes:
        """Returns all bytes up to `wanted`, or all bytes until the end."""
        got = b""
        while wanted not in got and len(got) < most:
            some = self.read()
            if not some:
                break
            got += some
        return got

    def is_cut(self) -> bool:
        """Whether the other side closes the connection within the socket's timeout."""
        try:
            while self.socket.recv(65536):
                pass
            return True
        except TimeoutError:
            return False
        except OSError:
            return True
