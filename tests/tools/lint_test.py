# SPDX-License-Identifier: Apache-2.0
import argparse
import json

import lint
from planted import ROOT, Planted


class Lint(Planted):
    def options(self, **values):
        return argparse.Namespace(**{"build": self.root / "build", "all": False, "base": "HEAD", "files": [], **values})

    def commands(self, *names):
        entries = [{"directory": str(ROOT), "file": name, "command": f"g++ -std=c++20 -c {name}"} for name in names]
        self.plant("build/compile_commands.json", json.dumps(entries))

    def test_takes_every_file_of_the_build_that_is_the_projects(self):
        self.commands("src/hilo/base/status.cc", "src/hilo/base/log.cc", "/usr/lib/other.cc")
        self.assertEqual(lint.chosen_files(self.options(all=True)), ["src/hilo/base/log.cc", "src/hilo/base/status.cc"])

    def test_findings_are_read_from_the_report(self):
        report = f"{ROOT}/src/a.cc:3:7: warning: do not [bugprone-x]\nsrc/b.h:9:1: error: nor [performance-y]\nnote\n"
        self.assertEqual([match[2] for match in lint.FINDING.findall(report)], ["do not [bugprone-x]", "nor [performance-y]"])

    def test_takes_named_files_only(self):
        self.commands("src/hilo/base/status.cc", "src/hilo/base/log.cc")
        chosen = lint.chosen_files(self.options(files=[ROOT / "src/hilo/base/log.cc"]))
        self.assertEqual(chosen, ["src/hilo/base/log.cc"])

    def test_a_file_that_equals_the_base_is_not_changed(self):
        self.assertNotIn("LICENSE", lint.changed("HEAD"))
