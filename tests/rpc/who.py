# SPDX-License-Identifier: Apache-2.0
"""who.py -- tests which clients are admitted without a token, and the messages for the operator."""

import json
import os
import pathlib
import shutil
import stat
import tempfile

from command import holds
from served import remote, server

RUN = ("run", "double.hlo", "--random", "1")
OTHER = 4321  # a user without processes
IS_ROOT = os.geteuid() == 0  # which alone can become another user; without it these tests have only this one


def events(place) -> list[dict]:
    """Returns the audit lines; each is JSON with a time and an event."""
    lines = [json.loads(line) for line in (place.folder / "audit").read_text().splitlines()]
    assert all(line["time"].endswith("Z") and line["event"] for line in lines), lines
    return lines


def as_another_user(place, *arguments, environment=None):
    """Returns the result of the command, run by another user."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hilo_other_"))  # the place's own folder is this user's alone
    try:
        for program in place.folder.glob("*.hlo"):
            shutil.copy(program, folder)
        for path in (folder, *folder.iterdir()):
            os.chown(path, OTHER, OTHER)
        return place.run(*arguments, environment={"HILO_CACHE": "off", "HOME": str(folder), **(environment or {})},
                         user=OTHER, folder=folder)
    finally:
        shutil.rmtree(folder)


def the_servers_user_is_let_in_by_default_and_no_other(place):
    runtime = place.folder / "runtime"
    runtime.mkdir(mode=0o700)
    own = {"XDG_RUNTIME_DIR": str(runtime)}
    with server(place, environment=own) as process:
        (token,) = (runtime / "hilo").iterdir()
        assert stat.S_IMODE(token.stat().st_mode) == 0o600 and stat.S_IMODE(token.parent.stat().st_mode) == 0o700
        place.good(*remote(process, *RUN), environment=own)
        place.good("top", process.target, "--every", "0.05", "--count", "1", environment=own)
        for environment in ({}, own) if IS_ROOT else ():  # it can't read this user's folder
            for arguments in (remote(process, *RUN), ("top", process.target, "--count", "1")):
                done = as_another_user(place, *arguments, environment=environment)
                assert done.returncode == 1 and "UNAUTHENTICATED" in done.stderr, done.stderr
        holds(process.stdout.readline(), "clients of this user read the token from", str(token))
    assert not token.exists(), "a server takes its token along"
    refused = [one for one in events(place) if one["event"] == "refused"]
    assert len(refused) == 4 * IS_ROOT and all(one["cause"] == "the token is missing" for one in refused), refused
    assert all(one["peer"].startswith("ipv4:127.0.0.1:") for one in refused), refused


def an_open_server_says_what_it_allows(place):
    with server(place, "--open") as process:
        holds(process.stdout.readline(), "open: every user of this machine can run programs as user")
        if IS_ROOT:
            done = as_another_user(place, *remote(process, *RUN))
            assert done.returncode == 0, done.stderr
        place.good(*remote(process, *RUN))
    holds(place.bad(1, "serve", "--open", "--token-file", "t"), "INVALID_ARGUMENT")
    holds(place.bad(1, "serve", "--open", "--listen", "0.0.0.0:0"), "FAILED_PRECONDITION")


def a_unix_socket_knows_its_users(place):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hilo_socket_"))
    try:
        folder.chmod(0o755)
        for allowed in (False, True):
            more = ("--allow-user", str(OTHER)) if allowed else ()
            with server(place, *more, listen=f"unix:{folder}/socket") as process:
                place.good(*remote(process, *RUN))
                if IS_ROOT:
                    done = as_another_user(place, *remote(process, *RUN), environment={"HILO_XRT_RECONNECT_SECONDS": "0"})
                    assert (done.returncode == 0) == allowed, done.stderr
            assert not (folder / "socket").exists()
        opened = [one for one in events(place) if one["event"] == "opened"]
        assert len(opened) == 2 + IS_ROOT and all(one["peer"].startswith("unix:uid=") for one in opened), opened
    finally:
        shutil.rmtree(folder)
    holds(place.bad(1, "serve", "--allow-user", "0"), "INVALID_ARGUMENT", "unix:/path")
    holds(place.bad(1, "serve", "--listen", "unix:a", "--allow-user", "nobody of this name"), "NOT_FOUND")


def each_session_has_audit_lines(place):
    with server(place, "--max-run-seconds", "0.2") as process:
        place.good(*remote(process, *RUN))
        place.bad(1, *remote(process, "run", "forever.hlo", "--random", "1"))
    told = [(one["event"], one.get("session"), one.get("cause")) for one in events(place) if one["event"] != "left"]
    assert told[0][0] == "started", told
    for session in (1, 2):
        own = [(event, cause) for event, number, cause in told if number == session]
        assert own[0] == ("opened", None) and own[-1][0] == "closed", own
        assert own[-1][1] in ("the client ended it", "the server ended"), own
        limits = [cause for event, cause in own if event == "limit"]
        assert len(limits) == session - 1 and all("DEADLINE_EXCEEDED" in cause for cause in limits), own


CASES = (the_servers_user_is_let_in_by_default_and_no_other, an_open_server_says_what_it_allows,
         a_unix_socket_knows_its_users,
         each_session_has_audit_lines)
