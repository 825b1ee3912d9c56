# SPDX-License-Identifier: Apache-2.0
import json
import subprocess

import check_symbol_layers
from planted import SPDX, Planted

LOG = "namespace hilo { void log(); struct Log { void write(); int size() const; }; }\n"


class CheckSymbolLayers(Planted):
    def setUp(self):
        super().setUp()
        self.commands = []

    def compile(self, name, text):
        """A source of the library, and its object where a build has it."""
        source = self.plant(f"src/hilo/{name}", SPDX + text)
        output = f"CMakeFiles/hilo.dir/src/hilo/{name}.o"
        (self.root / "build" / output).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["g++", "-std=c++20", "-I", self.root / "src", "-c", source, "-o", self.root / "build" / output], check=True)
        self.commands.append({"command": f"c++ -o {output} -c {source}"})

    def found(self):
        self.plant("build/compile_commands.json", json.dumps(self.commands))
        return [line.partition(". Hint")[0] for line in check_symbol_layers.check(self.root, self.root / "build")]

    def test_accepts_what_goes_down(self):
        self.plant("src/hilo/base/log.h", LOG)
        self.compile("base/log.cc", '#include "hilo/base/log.h"\nnamespace hilo { void log() {} void Log::write() {} }\n')
        self.compile("types/shape.cc", '#include "hilo/base/log.h"\nnamespace hilo { void shape() { log(); Log().write(); } }\n')
        self.assertEqual(self.found(), [])

    def test_finds_a_use_that_goes_up(self):
        self.compile("base/log.cc", "namespace hilo { void shape(); void log() { shape(); } }\n")
        self.compile("types/shape.cc", "namespace hilo { void shape() {} }\n")
        self.assertEqual(self.found(), ["src/hilo/base: uses hilo::shape, which types defines: that is above it"])

    def test_finds_what_is_declared_below_and_defined_above(self):
        self.plant("src/hilo/base/log.h", LOG)
        self.compile("types/shape.cc", '#include "hilo/base/log.h"\nnamespace hilo { void log() {} int Log::size() const { return 0; } }\n')
        self.assertEqual(self.found(), ["src/hilo/types: defines hilo::Log::size, which base declares",
                                        "src/hilo/types: defines hilo::log, which base declares"])

    def test_accepts_what_is_registered(self):
        self.plant("src/hilo/hlo/ir/op_def.h", "namespace hilo::hlo { int op_def(int opcode); }\n")
        self.compile("hlo/ir/use.cc", '#include "hilo/hlo/ir/op_def.h"\nnamespace hilo::hlo { int use() { return op_def(1); } }\n')
        self.compile("hlo/ops/op_table.cc", '#include "hilo/hlo/ir/op_def.h"\nnamespace hilo::hlo { int op_def(int i) { return i; } }\n')
        self.assertEqual(self.found(), [])

    def test_members_of_array_are_in_members_cc(self):
        self.plant("src/hilo/array/array.h", "namespace hilo { struct Array { int sum() const; int at() const; }; }\n")
        self.compile("numpy/members.cc", '#include "hilo/array/array.h"\nnamespace hilo {\nint Array::sum() const { return 1; }\n}\n')
        self.compile("numpy/indexing.cc", '#include "hilo/array/array.h"\nnamespace hilo {\nint Array::at() const { return 1; }\n}\n')
        self.assertEqual(self.found(), ["src/hilo/numpy/indexing.cc: defines a member of Array; wanted a file of src/hilo/array, or members.cc"])

    def test_finds_a_build_without_objects(self):
        self.assertIn("objects are missing", self.found()[0])

    def test_names_in_bodies_and_comments_are_no_declarations(self):
        text = 'namespace hilo { inline int f(int x = g()) { return h(x); }  // k(1)\nstruct A : B { void m(); };\nnamespace n { void p(); } }\n'
        self.assertEqual(check_symbol_layers.declared_in(text), ({"hilo::A"}, {"hilo::f", "hilo::A::m", "hilo::n::p"}))
