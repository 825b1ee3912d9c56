# SPDX-License-Identifier: Apache-2.0
"""Every process-wide table is listed here, with the way in which a program may reach it.

A new one must be added here. If a program can name its entries, docs/security.md and
tests/transform/given_rules_forged_references_test.cc must cover it."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
TABLE = re.compile(r"static (?:auto|[A-Za-z:]+(?:<[^;]*>)?) ?\* ?(?:const )?\w+ ?(?:=|;).*(?:new\b|\[)")

# By a name that a program states.
NAMED = {
    "hlo/ops/custom_call_registry.cc": "custom calls by target",
    "transform/callback.cc": "callbacks by a random key",
    "pjrt/custom_partitioner.cc": "JAX's partitioners by target",
    "backend/cpu/library/symbols.cc": "functions of the library by name, of saved programs",
}
# By what a program means: equal programs share what was made of them.
BY_MEANING = {
    "backend/cpu/emit/code.cc", "backend/cpu/emit/kernel_cache.cc", "backend/cpu/emit/register_loop.cc",
    "backend/cpu/emit/scalar_program.cc", "backend/cpu/emit/scatter_kernel.cc", "backend/cpu/emit/straight_line.cc",
    "client/compile.cc",
    "client/disk_cache.cc", "trace/dispatch.cc", "mesh/sharded_program.cc", "mesh/sharding_constraint.cc",
    "transform/checkify.cc", "types/shape.cc",
}
# By code of the process alone.
BY_CODE = {
    "backend/cpu/cpu_engine.cc", "backend/cpu/library/long_call.cc", "backend/cpu/load/compiled_code.cc",
    "backend/cpu/load/jit_symbols.cc", "backend/cpu/load/tier.cc", "backend/pjrt/host_calls.cc", "backend/pjrt/plugin.cc",
    "backend/pjrt/plugin_client.cc", "backend/reference/reference_engine.cc", "base/buffer_pool.cc", "base/flags.cc",
    "base/log.cc", "base/memoize.cc", "base/thread_pool.cc", "client/computation_builder.cc", "inspect/dumps/dump_folder.cc",
    "client/platform_clients.cc", "client/platforms.cc", "inspect/profile/profile.cc", "client/xla_bridge.cc",
    "pjrt/errors.cc", "pjrt/ffi.cc", "pjrt/handles.h", "replica/mpi/entry.cc", "rpc/client/caller.cc",
    "rpc/grpc/channel.cc",
    "rules/key_reuse.cc", "trace/eval_trace.cc", "transform/checkpoint.cc", "transform/jit.cc",
    "transform/jit_cache.cc",
}


def tables():
    for path in sorted((ROOT / "src" / "hilo").rglob("*")):
        if path.suffix in {".cc", ".h"} and any(TABLE.search(line) for line in path.read_text().splitlines()):
            yield str(path.relative_to(ROOT / "src" / "hilo"))


class ProcessTables(unittest.TestCase):
    def test_are_those_that_are_known(self):
        known = set(NAMED) | BY_MEANING | BY_CODE
        self.assertEqual(set(tables()) ^ known, set())


if __name__ == "__main__":
    unittest.main()
