# SPDX-License-Identifier: Apache-2.0
import check_jax_tests
from planted import Planted


class CheckJaxTests(Planted):
    def found(self, names="", tests="", reasons=""):
        self.plant(check_jax_tests.NAMES, names)
        self.plant(check_jax_tests.TESTS, tests)
        self.plant(check_jax_tests.REASONS, reasons)
        self.plant("tests/lax/a_test.cc", "TEST(Scan, Sums) {\n}\nTEST_F(Jet, KnowsSine) {\n}\n")
        return check_jax_tests.check(self.root)

    def test_accepts_tests_and_reasons(self):
        self.assertEqual(self.found("a.B.test_c\na.B.test_d\n", "a.B.test_c\tScan.Sums, Jet.KnowsSine\n",
                                    "# comment\na.B.*\tPython alone\n"), [])

    def test_finds_a_name_with_neither(self):
        self.assertIn("a.B.test_c has neither", self.found("a.B.test_c\n")[0])

    def test_finds_a_reason_without_words(self):
        self.assertIn("a.B.test_c has neither", self.found("a.B.test_c\n", "", "a.B.*\t\n")[0])

    def test_finds_a_test_that_is_not_there(self):
        self.assertEqual(self.found("a.B.test_c\n", "a.B.test_c\tScan.Sums, Scan.Gone\n"),
                         [f"{check_jax_tests.TESTS}: a.B.test_c: there is no test Scan.Gone"])

    def test_finds_names_that_jax_has_not_and_names_twice(self):
        found = self.found("a.B.test_c\n", "a.B.test_c\tScan.Sums\na.B.test_c\tScan.Sums\na.B.test_d\tScan.Sums\n")
        self.assertEqual(found, [f"{check_jax_tests.TESTS}: a.B.test_d isn't among JAX's tests",
                                 f"{check_jax_tests.TESTS}: a.B.test_c stands there twice"])

    def test_finds_reasons_that_nothing_needs(self):
        self.assertEqual(self.found("a.B.test_c\n", "a.B.test_c\tScan.Sums\n", "a.B.test_c\tPython alone\n"),
                         [f"{check_jax_tests.REASONS}: nothing needs a.B.test_c"])
