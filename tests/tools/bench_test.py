# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import pathlib
import re
import sys

from planted import Planted

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import bench  # noqa: E402
import peers  # noqa: E402


class Bench(Planted):
    def test_coverage_is_the_part_of_wall_time_that_rows_add_up_to(self):
        def profile(module, wall, *rows):
            return {"module": module, "wall_nanoseconds": wall, "rows": [{"nanoseconds": n} for n in rows]}

        profiles = [profile("step", 60, 30, 20), profile("step", 40, 40), profile("other", 1000)]
        self.assertEqual(bench.coverage(profiles, "step"), 90)

    def test_a_peer_that_no_interpreter_has_is_left_out_by_name(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            commands = peers.installed_peers([self.root / "no_python"])
        self.assertEqual(commands, {})
        self.assertEqual(said.getvalue().splitlines(),
                         ["left out: numpy (needs numpy, scipy)", "left out: ducc0 (needs ducc0, numpy)", "left out: torch (needs torch)",
                          "left out: torch, compiled (needs torch)", "left out: mlx (needs mlx)"])

    def test_a_peer_that_an_interpreter_has_runs_its_rows(self):
        python = self.root / "python"
        python.write_text('#!/bin/sh\n[ "$2" = "import torch" ]\n')
        python.chmod(0o755)
        with contextlib.redirect_stdout(io.StringIO()):
            commands = peers.installed_peers([self.root / "no_python", python])
        script = [python, ROOT / "bench" / "rows_torch.py"]
        self.assertEqual(commands, {"torch": (script, {}), "torch, compiled": (script, {"ROWS_COMPILED": "1"})})

    def test_every_row_of_a_peer_is_one_of_the_table(self):
        rows = (ROOT / "bench" / "rows.cc").read_text()
        for script in sorted((ROOT / "bench").glob("rows_*.py")):
            names = re.findall(r'^ *(?:\w*row|timing\.once)\("(\w+)"', script.read_text(), re.MULTILINE)
            self.assertGreater(len(names), 5, script.name)
            for name in names:
                self.assertIn(name, rows, script.name)
