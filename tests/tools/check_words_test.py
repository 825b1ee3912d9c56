# SPDX-License-Identifier: Apache-2.0
import check_words
from planted import Planted


class CheckWords(Planted):
    def found(self):
        return check_words.check(self.root)

    def test_accepts_plain_code(self):
        self.plant("src/hilo/base/a.cc", "// Stubborn words may stand.\nint todo_list();\n")
        self.plant("tests/base/a_test.cc", "TEST(A, IsRight) {}\n")
        self.assertEqual(self.found(), [])

    def test_finds_promises_in_the_code(self):
        self.plant("src/hilo/base/a.cc", "int x;\n// Todo: more\n")
        self.plant("tools/hilo/b.cc", "// a placeholder\n")
        self.assertEqual(self.found(), ['src/hilo/base/a.cc:2: "Todo"', 'tools/hilo/b.cc:1: "placeholder"'])

    def test_finds_tests_that_do_not_run_or_wait(self):
        self.plant("tests/base/a_test.cc", "TEST(A, DISABLED_Late) {}\nGTEST_SKIP();\nstd::this_thread::sleep_for(1s);\n")
        self.assertEqual(self.found(), ['tests/base/a_test.cc:1: "DISABLED_Late"', 'tests/base/a_test.cc:2: "GTEST_SKIP"',
                                        'tests/base/a_test.cc:3: "sleep_for"'])
