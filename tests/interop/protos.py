# SPDX-License-Identifier: Apache-2.0
"""XLA reads what hilo dumps and hilo what XLA dumps, as HLO text and as HloModuleProto. Prints "passed CASE" or
"failed CASE: why"; ends with "N passed, N failed".

  dumps/PROGRAM     every dump of `hilo run` with all dump flags: jaxlib parses texts and messages, and they agree
  xla/PROGRAM       --xla_dump_to of JAX, before optimisation: text and message print back equal, as XLA prints them
  examples/NAME     every dump that an example leaves under the same flags
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
XLA_DUMPS = tempfile.TemporaryDirectory(prefix="hilo_xla_dumps_")
os.environ["XLA_FLAGS"] = f"--xla_dump_to={XLA_DUMPS.name} --xla_dump_hlo_as_text --xla_dump_hlo_as_proto"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jaxlib import _hlo  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import PROGRAMS  # noqa: E402

SECONDS = 300
# What HloModuleProto has no field for: configuration of the compiler, which text shows at its head.
CONFIGURATION = re.compile(r", (allow_spmd_\w+=\{[a-z,]*\}|replica_count=\d+|num_partitions=\d+)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    passed = failed = 0
    for case, check in cases(arguments.command.resolve()):
        if arguments.match not in case:
            continue
        try:
            problem = check()
        except Exception as error:  # noqa: BLE001: whatever XLA says is the finding
            problem = str(error)[:300]
        print(f"{'failed' if problem else 'passed'} {case}" + (f": {problem}" if problem else ""), flush=True)
        passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def cases(command):
    for name, (function, *inputs) in PROGRAMS.items():
        yield f"xla/{name}", lambda: check_xla(command, name, function, inputs)
        yield f"dumps/{name}", lambda: check_program(command, function, inputs)
    for example in sorted((command.parent / "examples").glob("*")):
        if example.is_file() and os.access(example, os.X_OK):
            yield f"examples/{example.name}", lambda: check_example(example)


def check_xla(command, name, function, inputs) -> str:
    named = lambda *arguments: function(*arguments)  # noqa: E731
    named.__name__ = "program_" + name
    jax.jit(named).lower(*[np.asarray(x) for x in inputs]).compile()
    (text,) = pathlib.Path(XLA_DUMPS.name).glob(f"*.jit_program_{name}.before_optimizations.txt")
    message = text.with_name(text.name.removesuffix(".txt") + ".hlo.pb")
    wanted = canonical(text.read_text())
    for path in (text, message):
        if canonical(convert(command, "hlo", path).decode()) != wanted:
            return f"{path.name}: XLA reads another program from what hilo prints"
        again = _hlo.HloModule.from_serialized_hlo_module_proto(convert(command, "proto", path))
        if canonical(again.to_string()) != wanted:
            return f"{path.name}: XLA reads another program from the message that hilo writes"
    return ""


def check_program(command, function, inputs) -> str:
    lowered = jax.jit(function).lower(*[np.asarray(x) for x in inputs])
    with tempfile.NamedTemporaryFile("w", suffix=".hlo") as text:
        text.write(lowered.compiler_ir("hlo").as_hlo_text())
        text.flush()
        return check_dumps([str(command), "run", text.name, "--random", "1"])


def check_example(example) -> str:
    return check_dumps([str(example)])


def check_dumps(command) -> str:
    """Runs `command` under all dump flags; jaxlib then parses all that it left."""
    with tempfile.TemporaryDirectory(prefix="hilo_interop_") as folder:
        flags = {f"JAX_DUMP_HLO_{kind}": folder for kind in ("UNOPTIMIZED", "OPTIMIZED", "PER_PASS")}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
        done = subprocess.run(command, cwd=folder, env={**environment, **flags, "JAX_DUMP_HLO_GRAPH": ""},
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS)
        if done.returncode:
            return f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}"
        texts = sorted(pathlib.Path(folder).rglob("*.hlo"))
        for text in texts:
            module = _hlo.hlo_module_from_text(text.read_text())
            message = text.with_name(text.name + ".pb")
            if not message.exists():
                return f"{message.name} is not there: {done.stderr.decode(errors='replace')[:300]}"
            from_message = _hlo.HloModule.from_serialized_hlo_module_proto(message.read_bytes())
            if shape_of(module) != shape_of(from_message):
                return f"{text.name}: text and message hold different programs"
        return "" if texts else "no dumps"


def shape_of(module) -> list:
    """The opcodes of all computations, which text and message must agree on, whatever the names."""
    return [re.findall(r"= \S+ ([a-z-]+)\(", c) for c in CONFIGURATION.sub("", module.to_string()).split("\n\n")[1:]]


def canonical(text: str) -> str:
    head, _, rest = _hlo.hlo_module_from_text(text).to_string().partition("\n")
    return CONFIGURATION.sub("", head) + "\n" + rest


def convert(command, to, path) -> bytes:
    return subprocess.run([command, "convert", "--to", to, path], check=True, stdout=subprocess.PIPE, timeout=SECONDS).stdout


if __name__ == "__main__":
    sys.exit(main())
