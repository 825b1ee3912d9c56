# SPDX-License-Identifier: Apache-2.0
"""Which names of templates are read from a header, and what their instances are called."""

import sys
import pathlib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_instantiated  # noqa: E402

HEADER = """namespace hilo::lax {
namespace detail {
template <typename T>
T inner(const T& x);
}  // namespace detail

/// One axis.
template <int = 0>
Array sort(const Operand& x, int64_t axis) {
  return x;
}
/// Doesn't compile: there is none.
template <typename T>
Array refused(const T&) {
  return {};
}
template <typename T>
struct Holder {
  T value;
};
template <typename T>
Array Holder<T>::get_it(const T& x) {
  return x;
}
}  // namespace hilo::lax
"""


class CheckInstantiated(unittest.TestCase):
    def test_reads_functions_that_users_can_call(self):
        self.assertEqual(check_instantiated.templates_of(HEADER), {"hilo::lax::sort"})

    def test_names_instances_as_the_compiler_does(self):
        self.assertIn(check_instantiated.mangled("hilo::lax::sort"), "_ZN4hilo3lax4sortILi0EEENS_5ArrayERKNS_7OperandEl")


if __name__ == "__main__":
    unittest.main()
