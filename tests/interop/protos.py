# SPDX-License-Identifier: Apache-2.0
"""XLA reads what hilo dumps and hilo what XLA dumps, as HLO text and as HloModuleProto. Prints "passed CASE" or
"failed CASE: why"; ends with "N passed, N failed".

  dumps/PROGRAM     every dump of `hilo run` with all dump flags: jaxlib parses texts and messages, and they agree
  xla/PROGRAM       --xla_dump_to of JAX, before optimisation: text and message print back equal, as XLA prints them
  optimised/PROGRAM the same after optimisation: fusions, schedule and all
  lines/PROGRAM     pictures of the first name the user's line wherever XLA's frames do
  examples/NAME     every dump that an example leaves under the same flags
"""

import argparse
import functools
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
from report import report  # noqa: E402

SECONDS = 300
# What HloModuleProto has no field for: configuration of the compiler, which text shows at its head.
CONFIGURATION = re.compile(r", (allow_spmd_\w+=\{[a-z,]*\}|replica_count=\d+|num_partitions=\d+)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, required=True, help="the command hilo")
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    return report((case, problem_of(check)) for case, check in cases(arguments.command.resolve())
                  if arguments.match in case)


def problem_of(check):
    try:
        return check()
    except Exception as error:  # noqa: BLE001: whatever XLA says is the finding
        return str(error)[:300]


def cases(command):
    for name, (function, *inputs) in PROGRAMS.items():
        yield f"xla/{name}", lambda: check_xla(command, name, "before_optimizations")
        yield f"optimised/{name}", lambda: check_xla(command, name, "cpu_after_optimizations")
        yield f"lines/{name}", lambda: check_lines(command, name)
        yield f"dumps/{name}", lambda: check_program(command, function, inputs)
    for example in sorted((command.parent / "examples").glob("*")):
        if example.is_file() and os.access(example, os.X_OK):
            yield f"examples/{example.name}", lambda: check_example(example)


@functools.cache
def dump(name) -> None:
    function, *inputs = PROGRAMS[name]
    named = lambda *arguments: function(*arguments)  # noqa: E731
    named.__name__ = "program_" + name
    jax.jit(named).lower(*[np.asarray(x) for x in inputs]).compile()


def dumped(name, stage) -> pathlib.Path:
    dump(name)
    (text,) = pathlib.Path(XLA_DUMPS.name).glob(f"*.jit_program_{name}.{stage}.txt")
    return text


def check_xla(command, name, stage) -> str:
    text = dumped(name, stage)
    message = text.with_name(text.name.removesuffix(".txt") + ".hlo.pb")
    # After optimisation XLA may print the text in another order than that in which it reads the message.
    from_message = _hlo.HloModule.from_serialized_hlo_module_proto(own_message(message.read_bytes()))
    for path, wanted in ((text, canonical(text.read_text())), (message, canonical(from_message.to_string()))):
        if canonical(convert(command, "hlo", path).decode()) != wanted:
            return f"{path.name}: XLA reads another program from what hilo prints"
        again = _hlo.HloModule.from_serialized_hlo_module_proto(convert(command, "proto", path))
        if canonical(again.to_string()) != wanted:
            return f"{path.name}: XLA reads another program from the message that hilo writes"
    return ""


def own_message(data: bytes) -> bytes:
    """The HloModuleProto, which is field 1 of the HloProto that XLA dumps."""
    length, at = 0, 1
    while True:
        length |= (data[at] & 0x7F) << 7 * (at - 1)
        at += 1
        if data[at - 1] < 0x80:
            return data[at:at + length]


def check_lines(command, name) -> str:
    text = dumped(name, "before_optimizations")
    wanted = text.read_text().count("stack_frame_id=")
    got = len(re.findall(r"\\n[\w.-]+\.py:\d+", convert(command, "dot", text).decode()))
    return "" if wanted == got else f"{got} nodes name a line; wanted {wanted}"


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
    return CONFIGURATION.sub("", head) + "\n" + with_frames(rest)


def with_frames(text: str) -> str:
    """XLA renumbers stack frames each time it reads a program: each number becomes what it stands for."""
    tables = {}
    for word in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
        found = re.search(rf"^{word}\n((?:\d+ .*\n)*)", text, re.M)
        if found:
            tables[word] = dict(line.split(" ", 1) for line in found[1].splitlines())
            text = text.replace(found[0], "", 1)

    def location(number: str) -> str:
        row = tables["FileLocations"][number]
        row = re.sub(r"file_name_id=(\d+)", lambda m: tables["FileNames"][m[1]], row)
        return re.sub(r"function_name_id=(\d+)", lambda m: tables["FunctionNames"][m[1]], row)

    def stack(match) -> str:
        number, parts = int(match[1]), []
        while number:
            row = dict(re.findall(r"(\w+)=(\d+)", tables["StackFrames"][str(number)]))
            parts.append(location(row["file_location_id"]))
            number = int(row.get("parent_frame_id", 1)) - 1  # counted from one more
        return "frames=" + " < ".join(parts)

    return re.sub(r"stack_frame_id=(\d+)", stack, text).lstrip()


def convert(command, to, path) -> bytes:
    return subprocess.run([command, "convert", "--to", to, path], check=True, stdout=subprocess.PIPE, timeout=SECONDS).stdout


if __name__ == "__main__":
    sys.exit(main())
