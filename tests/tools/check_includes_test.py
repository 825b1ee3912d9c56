# SPDX-License-Identifier: Apache-2.0
import check_includes
from planted import Planted


class CheckIncludes(Planted):
    def found(self):
        return check_includes.check(self.root)

    def test_accepts_libraries_at_home(self):
        self.plant("src/hilo/backend/cpu/emit/jit.cc", "#include <llvm/IR/IRBuilder.h>\n")
        self.plant("src/hilo/hlo/proto/wire.cc", "#include <google/protobuf/message.h>\n")
        self.assertEqual(self.found(), [])

    def test_finds_libraries_away_from_home(self):
        self.plant("src/hilo/client/a.cc", "#include <llvm/IR/IRBuilder.h>\n")
        self.plant("src/hilo/hlo/ir/b.cc", "#include <google/protobuf/message.h>\n")
        self.plant("tests/backend/c_test.cc", '#include "grpcpp/server.h"\n')
        self.assertEqual(self.found(), [
            "src/hilo/client/a.cc:1: llvm/IR/IRBuilder.h: LLVM is included only under src/hilo/backend",
            "src/hilo/hlo/ir/b.cc:1: google/protobuf/message.h: protobuf is included only under src/hilo/hlo/proto, src/hilo/rpc",
            "tests/backend/c_test.cc:1: grpcpp/server.h: gRPC is included only under src/hilo/rpc"])

    def test_finds_a_fourth_file_with_a_heavy_header(self):
        for name in "abc":
            self.plant(f"src/hilo/backend/cpu/{name}.cc", "#include <llvm/ExecutionEngine/Orc/LLJIT.h>\n")
        self.assertEqual(self.found(), [])
        self.plant("src/hilo/backend/cpu/d.cc", "#include <llvm/ExecutionEngine/Orc/LLJIT.h>\n")
        self.assertIn("LLJIT: 4 files include it; wanted at most 3", self.found()[0])
