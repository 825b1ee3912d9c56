# SPDX-License-Identifier: Apache-2.0
import sys
import unittest
from xml.dom import minidom

from planted import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402
import house_pictures  # noqa: E402

PAGE = (ROOT / house_pictures.PAGE).read_text()


class HousePictures(unittest.TestCase):
    def setUp(self):
        self.pictures = house_pictures.pictures(PAGE)

    def test_the_files_are_those_of_the_tables(self):
        for name, text in self.pictures.items():
            self.assertEqual((ROOT / name).read_text(), text, f"{name}: out of date. Hint: make docs")

    def test_each_folder_is_in_the_house_once(self):
        house = texts(self.pictures["docs/figures/house_light.svg"])
        for folder in check_layers.LAYERS:
            # The name of a part may be that of a folder; the legend has it then.
            self.assertIn(house.count(folder), (1, 2), folder)

    def test_a_folder_is_above_what_it_includes(self):
        for folder, below in check_layers.LAYERS.items():
            for name in below:
                self.assertGreater(house_pictures.floor(folder), house_pictures.floor(name))

    def test_the_longest_entry_gives_the_part(self):
        parts = {"HLO": ["hlo/*"], "platforms": ["backend/*"], "explanations": ["explain"]}
        self.assertEqual(house_pictures.part_of("backend/cpu/emit", parts), "platforms")
        self.assertEqual(house_pictures.part_of("hlo/ir", parts), "HLO")
        self.assertEqual(house_pictures.part_of("quaternions", parts), house_pictures.REST)

    def test_the_call_has_each_step_of_the_page(self):
        steps = house_pictures.STEPS.findall(PAGE.partition("\n## One call")[2])
        self.assertGreater(len(steps), 8)
        shown = texts(self.pictures["docs/figures/call_dark.svg"])
        for step, _, _ in steps:
            self.assertIn(step, shown)

    def test_boxes_stay_inside(self):
        for name, text in self.pictures.items():
            root = minidom.parseString(text).documentElement
            for box in root.getElementsByTagName("rect"):
                x, y, width, height = (float(box.getAttribute(key)) for key in ("x", "y", "width", "height"))
                self.assertTrue(x >= 0 and x + width <= float(root.getAttribute("width"))
                                and y + height <= float(root.getAttribute("height")), name)


def texts(picture: str) -> list[str]:
    return [node.firstChild.data for node in minidom.parseString(picture).getElementsByTagName("text")]


if __name__ == "__main__":
    unittest.main()
