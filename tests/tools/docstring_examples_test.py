# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/docstring_examples.py."""

import pathlib
import tempfile
import unittest

import docstring_examples

HEADER = """\
namespace hilo {
/// Example    first(1)
namespace numpy {
/// Text.
/// Example    const Array x = array({1,
///                                   2});
///            take(x, 0)  // 1
/// Errors     INVALID_ARGUMENT
int take();
}  // namespace numpy
  /// Example   jit(f)  // [1 2]
}  // namespace hilo
"""


class DocstringExamples(unittest.TestCase):
    def test_results_are_read_with_their_lines_and_namespaces(self):
        with tempfile.NamedTemporaryFile("w", suffix=".h") as file:
            file.write(HEADER)
            file.flush()
            examples = docstring_examples.examples_of(pathlib.Path(file.name))
        self.assertEqual([example.namespace for example in examples], ["hilo::numpy", "hilo"])
        self.assertEqual([[(line.number, line.code, line.result) for line in example.results] for example in examples],
                         [[(7, "take(x, 0)", "1")], [(11, "jit(f)", "[1 2]")]])
        self.assertEqual(examples[0].lines[1].code.strip(), "2});")

    def test_a_result_counts_inside_the_example_only(self):
        self.assertTrue(docstring_examples.shows_a_result("Adds.\nExample    add(x,\n               1)  // 2\nCost    none"))
        self.assertFalse(docstring_examples.shows_a_result("Example    add(x, 1)\nErrors     none  // none"))
        self.assertFalse(docstring_examples.shows_a_result("Example    https://hilo"))


if __name__ == "__main__":
    unittest.main()
