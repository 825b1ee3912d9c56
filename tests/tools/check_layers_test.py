# SPDX-License-Identifier: Apache-2.0
import check_layers
from planted import Planted


class CheckLayers(Planted):
    def found(self):
        return check_layers.check(self.root)

    def test_table_names_only_its_own_rows_and_has_no_cycle(self):
        for folder, below in check_layers.LAYERS.items():
            for name in below:
                self.assertIn(name, check_layers.LAYERS)
            pending, seen = list(below), set()
            while pending:
                name = pending.pop()
                self.assertNotEqual(name, folder, f"{folder} stands on itself")
                if name not in seen:
                    seen.add(name)
                    pending += check_layers.LAYERS[name]

    def test_accepts_includes_that_go_down(self):
        self.plant("src/hilo/hlo/text/parser.cc", '#include "hilo/hlo/ir/module.h"\n#include "hilo/base/status.h"\n')
        self.assertEqual(self.found(), [])

    def test_finds_an_include_that_goes_up(self):
        self.plant("src/hilo/hlo/ir/module.cc", '#include <vector>\n#include "hilo/hlo/passes/dce.h"\n')
        self.assertEqual(self.found(),
                         ["src/hilo/hlo/ir/module.cc:2: hlo/ir may not include hilo/hlo/passes/dce.h (of hlo/passes)"])

    def test_finds_an_include_through_the_seam(self):
        self.plant("src/hilo/lax/dot.cc", '#include "hilo/backend/limits.h"\n')
        self.assertEqual(self.found(), ["src/hilo/lax/dot.cc:1: lax may not include hilo/backend/limits.h (of backend)"])

    def test_finds_a_back_end_named_outside_platforms(self):
        self.plant("src/hilo/client/platforms.cc", '#include "hilo/backend/cpu/cpu_engine.h"\n')
        self.plant("src/hilo/client/buffer.cc", '#include "hilo/backend/cpu/cpu_engine.h"\n')
        self.assertEqual([line.split(":")[0] for line in self.found()], ["src/hilo/client/buffer.cc"])

    def test_finds_a_folder_without_a_row(self):
        self.plant("src/hilo/misc/util.cc", "")
        self.assertIn("src/hilo/misc/util.cc: its folder is in no layer", self.found()[0])

    def test_finds_the_umbrella_included_inside(self):
        self.plant("src/hilo/nn/relu.cc", '#include "hilo/hilo.h"\n')
        self.assertEqual(self.found(), ["src/hilo/nn/relu.cc:1: hilo/hilo.h is for users; include what you use"])

    def test_finds_a_walk_that_goes_up(self):
        self.plant("src/hilo/backend/cpu/emit/region/nodes.h", '#include "hilo/backend/cpu/emit/region/state.h"\n')
        self.plant("src/hilo/backend/cpu/emit/region/load.cc", '#include "hilo/backend/cpu/emit/region/nodes.h"\n'
                   '#include "hilo/backend/cpu/emit/region/index.h"\n#include "hilo/backend/cpu/emit/region/loop_forms.h"\n')
        self.plant("src/hilo/backend/cpu/emit/region/attic.h", "")
        self.assertEqual(self.found(),
                         ["src/hilo/backend/cpu/emit/region/attic.h: is in no place of the walk through backend/cpu/emit/region. "
                          "Hint: add it to WALKS in tools/check_layers.py",
                          "src/hilo/backend/cpu/emit/region/load.cc:3: the walk through backend/cpu/emit/region goes down, and "
                          "hilo/backend/cpu/emit/region/loop_forms.h is above this file"])

    def test_finds_own_header_not_first(self):
        self.plant("src/hilo/base/log.h", "")
        self.plant("src/hilo/base/log.cc", '#include <vector>\n#include "hilo/base/log.h"\n')
        self.assertEqual(self.found(), ["src/hilo/base/log.cc: includes vector first; wanted its own header, hilo/base/log.h"])

    def test_finds_hlo_in_a_header_that_users_reach(self):
        self.plant("src/hilo/hilo.h", '#include "hilo/array/array.h"\n')
        self.plant("src/hilo/array/array.h", '#include <vector>\n#include <boost/pfr.hpp>\n#include "hilo/hlo/ir/opcode.h"\n')
        self.assertEqual(self.found(), ["src/hilo/array/array.h:3: users reach this header from hilo.h; "
                                        "it may not include hilo/hlo/ir/opcode.h"])

    def test_finds_a_library_in_a_header_that_users_reach(self):
        self.plant("src/hilo/hilo.h", '#include "hilo/base/log.h"\n')
        self.plant("src/hilo/base/log.h", "#include <fmt/format.h>\n")
        self.assertEqual(self.found(),
                         ["src/hilo/base/log.h:1: users reach this header from hilo.h; it may not include <fmt/format.h>"])
