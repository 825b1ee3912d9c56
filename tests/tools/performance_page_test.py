# SPDX-License-Identifier: Apache-2.0
import json
import sys
import unittest

from planted import ROOT

sys.path.insert(0, str(ROOT / "bench"))
import figures  # noqa: E402
import performance_page  # noqa: E402
import race  # noqa: E402
import ratio_picture  # noqa: E402

PEERS = {"machine": "a machine", "cores": 2, "date": "2026-01-01", "commit": "abc", "versions": {"jaxlib": "1"}, "rounds": 3,
         "microseconds": {"sort_1M": {"hilo": 10.0, "jaxlib": 25.0}, "matmul_1024": {"hilo": 4.0, "jaxlib": 2.0, "mlx": 8.0},
                          "fft_1M": {"hilo": 1.0}}}


class PerformancePage(unittest.TestCase):
    def test_figures_are_read_back_as_written(self):
        self.assertEqual(json.loads(figures.text(PEERS)), PEERS)
        self.assertIn('\n  "sort_1M": {"hilo": 10.0, "jaxlib": 25.0},\n', figures.text(PEERS))

    def test_the_picture_has_the_largest_ratio_first_and_leaves_out_what_the_peer_lacks(self):
        self.assertEqual(list(ratio_picture.ratios(PEERS).values()), [2.5, 0.5])
        light, dark = (ratio_picture.pictures(PEERS)[f"ratios_{theme}.svg"] for theme in ("light", "dark"))
        self.assertNotEqual(light, dark)
        self.assertLess(light.index(">2.5<"), light.index(">0.50<"))
        self.assertIn("commit abc", light)

    def test_a_run_without_the_peer_has_no_picture(self):
        self.assertEqual(ratio_picture.ratios({**PEERS, "microseconds": {"sort_1M": {"hilo": 10.0}}}), {})

    def test_a_row_has_a_ratio_for_each_peer(self):
        table = performance_page.peers_table(PEERS)
        self.assertIn("| matmul_1024 | 4.00 | 2.00 | 0.50 | 8.00 | 2.00 |", table)
        self.assertIn("| fft_1M | 1.00 | - | - | - | - |", table)

    def test_the_summary_counts_losses(self):
        race_of = {"avx2": {"versions": {"jaxlib": "1"}, "classes": {"all": [7, 2.0, 0.5, 1.0, 2.0, 3.0, 1]}}}
        older = {"avx2": {"classes": {"all": [7, 3.0, 0.5, 1.0, 2.0, 3.0, 1]}}}
        table = performance_page.summary(PEERS, race_of, PEERS, older)
        self.assertIn("| known programs, 2 cores | 1 | 2 | 1.12 | 0.50 | 1 | 1.12 |", table)
        self.assertIn("| 1 | 7 | 2.00 | 0.50 | 1 | 3.00 |", table)

    def test_parts_are_replaced_between_their_marks(self):
        page = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n"
        self.assertEqual(performance_page.with_part(page, "x", "new\n"), page.replace("old", "new"))

    def test_a_race_counts_each_class_and_all(self):
        rows = [{"class": "sort", "ratio": 2.0}, {"class": "sort", "ratio": 0.5}, {"class": "fft", "ratio": 4.0}]
        table = race.by_class(rows)
        self.assertEqual((table["sort"][0], table["sort"][-1], table["all"][0]), (2, 1, 3))
