# SPDX-License-Identifier: Apache-2.0
import check_spdx
from planted import SPDX, Planted


class CheckSpdx(Planted):
    def found(self):
        return check_spdx.check(self.root)

    def test_accepts_files_in_order(self):
        self.plant("src/hilo/base/log.h", SPDX + "// base/log.h -- what the log is\n#pragma once\n")
        self.plant("src/hilo/base/log.cc", SPDX)
        self.plant("tools/x.py", "#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n")
        self.assertEqual(self.found(), [])

    def test_finds_a_missing_licence(self):
        self.plant("src/hilo/base/log.cc", "int x;\n")
        self.plant("tools/x.sh", "#!/bin/sh\necho\n")
        self.plant("CMakeLists.txt", "")
        self.assertEqual([line.split(" is not")[0] for line in self.found()],
                         ["CMakeLists.txt: line 1", "src/hilo/base/log.cc: line 1", "tools/x.sh: line 2"])

    def test_finds_a_header_without_purpose_and_guard(self):
        self.plant("src/hilo/base/log.h", SPDX + "// log.h -- wrong path\n")
        self.assertEqual(self.found(), ['src/hilo/base/log.h: line 2 is not "// base/log.h -- purpose"',
                                        "src/hilo/base/log.h: no #pragma once"])
