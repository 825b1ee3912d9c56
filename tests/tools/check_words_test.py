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

    def test_finds_riddles_in_comments_docstrings_and_pages(self):
        self.plant("src/hilo/base/a.cc", "int x;  // what nobody reads\n// A size that is told apart.\nconst char* s = \"nobody\";\n")
        self.plant("tools/a.py", '"""Who asks waits."""\nx = "nobody"\n')
        self.plant("docs/a.md", "Who reads this?\n\n```\nnobody\n```\n\nThere is none.\n")
        self.assertEqual(self.found(), ['docs/a.md:7: "There is none" in: There is none.',
                                        'src/hilo/base/a.cc:1: "nobody" in: what nobody reads',
                                        'tools/a.py:1: "Who" in: Who asks waits.'])

    def test_finds_long_sentences_but_counts_code_and_clauses_apart(self):
        words = "word " * 20
        self.plant("docs/a.md", f"A {words}; {words}. A {words}`a b c d e f g h i j k l`.\n\n- {words}\n- {words}\n\nA {words}{words}.\n")
        self.assertEqual([line.split(",")[0] for line in self.found()], ["docs/a.md:6: a sentence of 41 words"])

    def test_finds_long_lines_except_strings_tables_and_links(self):
        self.plant("src/hilo/base/a.cc", f"{'x + ' * 40};\nf(\"{'x' * 140}\");\n// {'word ' * 27}\nR\"(\n{'x ' * 99}\n)\";\n")
        self.plant("src/hilo/base/a.inc", f"{'x + ' * 40};\n// https://{'x' * 140}\n")
        self.assertEqual(self.found(), ["src/hilo/base/a.cc:1: 161 columns, at most 120",
                                        "src/hilo/base/a.cc:3: 138 columns, at most 120"])

    def test_finds_names_by_everyday_words(self):
        self.plant("src/hilo/base/a.h", "constexpr int kMostRows = 3;\n")
        self.assertEqual(self.found(), ['src/hilo/base/a.h:1: "kMostRows"'])
        self.assertEqual(check_words.counts(self.found()), "src 1")
