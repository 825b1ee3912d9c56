# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

from planted import ROOT, Planted

sys.path.insert(0, str(ROOT / "tools"))
import run_tests  # noqa: E402
import status_page  # noqa: E402
from gtest_program import Result  # noqa: E402

SHAPE = "status/Cells/ShapeCell.Follows/{}"
JVP = "status/Cells/JvpCell.IsTheFiniteDifference/{}"


class StatusPage(Planted):
    def record(self, *results):
        (self.root / "build").mkdir(exist_ok=True)
        run_tests.record_status(self.root / "build", [Result(name, passed, 0.0) for name, passed in results])

    def generate(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "tools/generate_docs.py", "--root", self.root,
                               "--build", self.root / "build", *arguments], stdout=subprocess.PIPE, text=True)

    def page(self):
        return (self.root / "docs/internal/status.md").read_text()

    def test_a_cell_is_full_only_because_its_test_ran_and_passed(self):
        self.plant("tools/packages.txt", "")
        self.record((SHAPE.format("dynamic_slice_f32"), True), (SHAPE.format("dynamic_slice_s8"), True),
                    (JVP.format("dynamic_slice_f32"), True), ("base/Status.IsOk", True))
        self.generate()
        self.assertIn("3 of 3 cells are filled: 1 ops.", self.page())
        self.assertIn("| `dynamic-slice` | s8 f32 | 2/2 | - | - | - | - | - | 1/1 | - | - |\n", self.page())
        self.assertEqual(self.generate("--check").returncode, 0)
        # The jvp test fails; then no test of the column runs at all.
        self.record((SHAPE.format("dynamic_slice_f32"), True), (SHAPE.format("dynamic_slice_s8"), True),
                    (JVP.format("dynamic_slice_f32"), False))
        stale = self.generate("--check")
        self.assertEqual((stale.returncode, stale.stdout), (1, "docs/internal/status.md: out of date. Hint: make docs\n"))
        self.generate()
        self.assertIn("2 of 3 cells are filled", self.page())
        self.assertIn("| 2/2 | - | - | - | - | - | 0/1: not f32 | - | - |\n", self.page())
        self.record((SHAPE.format("dynamic_slice_f32"), True), (SHAPE.format("dynamic_slice_s8"), True))
        self.assertEqual(self.generate("--check").returncode, 1)
        self.generate()
        self.assertIn("| 2/2 | - | - | - | - | - | - | - | - |\n", self.page())

    def test_ops_that_do_not_run_are_listed_with_a_reason_each(self):
        self.plant("tools/packages.txt", "")
        later = "status/Later/LaterOpcode.IsRefused/{}_f32"
        self.record(*((later.format(op.replace("-", "_")), True) for op in status_page.WHY_LATER))
        self.generate()
        for op, why in status_page.WHY_LATER.items():
            self.assertIn(f"- `{op}`: {why}.\n", self.page())
        text = "".join(f"passed {later.format(op)}\n" for op in ("shuffle", "new_op"))
        self.assertRaisesRegex(ValueError, "new-op", status_page.page, text)

    def test_what_jax_cannot_differentiate_has_a_list_of_its_own(self):
        self.plant("tools/packages.txt", "")
        self.record((SHAPE.format("hilo_d_schur_f64"), True), ("status/Cells/UnderivableCell.IsAnErrorAsInJax/hilo_d_schur_f64", True))
        self.generate()
        self.assertIn("| `hilo.schur` | f64 | 1/1 | - | - | - | - | - | - | - | - |\n", self.page())
        self.assertIn("`hilo.schur`: 1/1.\n", self.page())

    def test_ops_that_are_said_and_not_run_stand_with_the_reason_and_there_is_one_for_each(self):
        unrun = "passed status/Cells/UnrunCell.IsRefused/{}_f32\n"
        names = [op.replace("_", "_u_").replace("-", "_").replace(".", "_d_") for ops in status_page.WHY_UNRUN for op in ops]
        page = status_page.page("".join(map(unrun.format, names)))
        for ops, why in status_page.WHY_UNRUN.items():
            self.assertIn(", ".join(f"`{op}`: 1/1" for op in ops) + f": {why}.\n", page)
        self.assertRaisesRegex(ValueError, "new-op", status_page.page, unrun.format("new_op"))

    def test_a_run_without_verdicts_leaves_an_empty_page(self):
        self.plant("tools/packages.txt", "")
        self.record()
        self.generate()
        self.assertIn("0 of 0 cells are filled", self.page())

    def test_names_read_back(self):
        self.assertEqual(status_page.name_of("hilo_d_stop_u_gradient"), "hilo.stop_gradient")
        self.assertEqual(status_page.name_of("recv_done"), "recv-done")

    def test_whole_classes_of_types_have_short_names(self):
        self.assertEqual(status_page.grouped(["c64", "s8", "u2", "u4", "u8", "u16", "u32", "u64", "pred", "f16"]), "pred s8 u* f16 c64")


if __name__ == "__main__":
    import unittest
    unittest.main()
