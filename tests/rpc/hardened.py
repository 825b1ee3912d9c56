# SPDX-License-Identifier: Apache-2.0
"""hardened.py -- `hilo serve` as started by tools/serve: with a read-only file system and without privileges, as far as
this machine's namespaces allow it."""

import os
import pathlib
import re
import shutil
import subprocess

from command import ROOT, holds
from served import remote, server

UNIT = ROOT / "tools" / "serve" / "hilo-serve.service"
CONTAINERFILE = ROOT / "tools" / "serve" / "Containerfile"
TASKS = 4096  # as TasksMax of the unit
WORST = 2.5  # of systemd's scale of exposure: 10 is none of it
# A read-only root, except for one folder in memory; no privileges but those of the user, and few processes.
READ_ONLY = """set -e
mount --make-rprivate /
mount -t tmpfs -o size=16m,mode=700 tmpfs "$0"
for each in $(awk '{print $2}' /proc/mounts | sort -u); do
  case "$each" in /proc*|/sys*|/dev*|"$0") ;; *) mount -o remount,bind,ro "$each" 2>/dev/null || true ;; esac
done
cd "$0"
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
"""


def unit_settings() -> dict[str, str]:
    lines = [line.split("=", 1) for line in UNIT.read_text().splitlines() if "=" in line and not line.startswith("#")]
    return dict(lines)


def the_unit_is_one_and_exposes_little(place):
    """Checks the unit by systemd, if it is installed, and its options by the command."""
    settings = unit_settings()
    text = UNIT.read_text()
    for line in ("NoNewPrivileges=yes", "ProtectSystem=strict", "MemoryMax=", "TasksMax=", "RestrictNamespaces=yes"):
        assert line in text, line
    known = place.good("serve", "--help")
    for option in re.findall(r"(--[a-z-]+)", settings["ExecStart"]):
        assert option in known, f"{UNIT.name}: hilo serve has no {option}"
    if shutil.which("systemd-analyze") is None:
        return
    unit = place.folder / UNIT.name  # with a command that is here
    unit.write_text(text.replace("/usr/local/bin/hilo", str(place.command)))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if UNIT.name in line]
    assert not said, said
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", str(unit)], capture_output=True, text=True)
    if exposure := re.search(r"Overall exposure level for .*: ([\d.]+)", done.stdout):
        assert float(exposure[1]) <= WORST, done.stdout


def the_containers_options_are_the_commands(place):
    text = CONTAINERFILE.read_text()
    for option in ("--read-only", "--cap-drop=all", "--security-opt=no-new-privileges", "--memory", "--pids-limit"):
        assert option in text, option
    known = place.good("serve", "--help")
    for option in re.findall(r'"(--[a-z-]+)"', text):
        assert option in known, f"{CONTAINERFILE.name}: hilo serve has no {option}"


def namespace(folder: pathlib.Path) -> list[str]:
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["prlimit", f"--nproc={TASKS}", "unshare", "--mount", *user, "sh", "-c", READ_ONLY, str(folder)]


def a_server_works_where_it_can_write_nothing(place):
    """Its root is read-only, and it has no privileges. It compiles and runs programs, and stores nothing."""
    state = place.folder / "state"
    state.mkdir(mode=0o700)
    wanted = place.good("run", "double.hlo", "--random", "1").splitlines()[0]
    secret = place.folder / "secret"
    secret.write_text("0123456789abcdef")
    secret.chmod(0o600)
    with server(place, "--token-file", str(secret), prefix=namespace(state), environment={"HILO_CACHE": "off"}) as process:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        assert re.search(r"NoNewPrivs:\s*1", status) and re.search(r"CapBnd:\s*0+$", status, re.M), status
        root = pathlib.Path(f"/proc/{process.pid}/root")
        mounts = pathlib.Path(f"/proc/{process.pid}/mounts").read_text()
        assert re.search(r"^\S+ / \S+ ro[, ]", mounts, re.M), mounts
        got = place.good(*remote(process, "run", "double.hlo", "--random", "1"), environment={"HILO_XRT_TOKEN_FILE": str(secret)})
        assert got.splitlines()[0] == wanted, got
        lines = (root / str(state).lstrip("/") / "audit").read_text()
        holds(lines, '"event": "started"', '"event": "opened"')
    assert process.returncode == 0, process.rest


def a_server_that_cannot_keep_its_token_says_what_to_do(place):
    """Neither folder can be written to: a token that no client can read would be useless."""
    state = place.folder / "state"
    state.mkdir(mode=0o700)
    command = [*namespace(state), str(place.command), "serve", "--listen", "127.0.0.1:0", "--audit", "off"]
    own = pathlib.Path(f"/tmp/hilo-{os.geteuid()}")
    hidden = own.rename(f"/tmp/hilo-{os.geteuid()}.{os.getpid()}") if own.exists() else None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60,
                              env={k: v for k, v in os.environ.items() if k != "XDG_RUNTIME_DIR"})
    finally:
        if hidden:
            hidden.rename(own)
    assert done.returncode == 1, done.stdout
    holds(done.stderr, "FAILED_PRECONDITION", "no folder for the server's token", "--token-file FILE, or --open")


CASES = (the_unit_is_one_and_exposes_little, the_containers_options_are_the_commands,
         a_server_works_where_it_can_write_nothing,
         a_server_that_cannot_keep_its_token_says_what_to_do)
