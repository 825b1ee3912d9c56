# SPDX-License-Identifier: Apache-2.0
import pathlib

import unity
from planted import Planted

LOCAL = "namespace {{\n{}\n}}  // namespace\n"


class Unity(Planted):
    def batches(self, **texts):
        """Names of the files of each batch, of files of these texts."""
        for name, text in texts.items():
            self.plant(f"src/{name}.cc", text)
        files = sorted((self.root / "src").glob("*.cc"))
        return [[file.stem for file in batch] for batch in unity.batches(files)]

    def test_files_that_share_no_name_go_together(self):
        self.assertEqual(self.batches(a=LOCAL.format("int f() {"), b=LOCAL.format("int g() {")), [["a", "b"]])

    def test_two_definitions_of_one_name_go_apart(self):
        for line in ("int f() {", "constexpr int kMost = 3;", "struct Row {", "enum class Kind : int { kA };", "Table rows[] = {"):
            with self.subTest(line):
                self.assertEqual(self.batches(a=LOCAL.format(line), b=LOCAL.format(line)), [["a"], ["b"]])

    def test_a_call_of_what_another_file_defines_for_itself_goes_apart(self):
        """It would find that, not the function of a header."""
        self.assertEqual(self.batches(a=LOCAL.format("int join(int x) {"), b="int g() { return join(1); }\n"), [["a"], ["b"]])

    def test_a_member_a_qualified_name_and_a_variable_are_no_calls(self):
        uses = "int g(int join) { return x.join(1) + y->join() + std::join(2) + join; }\n"
        self.assertEqual(self.batches(a=LOCAL.format("int join(int x) {"), b=uses), [["a", "b"]])

    def test_one_alias_of_one_meaning_may_come_twice(self):
        same = LOCAL.format("using Floats = std::vector<float>;")
        self.assertEqual(self.batches(a=same, b=same), [["a", "b"]])
        other = LOCAL.format("using Floats = std::vector<double>;")
        self.assertEqual(self.batches(a=same, b=other), [["a"], ["b"]])

    def test_an_alias_of_a_name_that_others_define_as_a_type_is_none(self):
        type_ = LOCAL.format("struct Params {")
        self.assertEqual(self.batches(a=type_, b=type_, c=LOCAL.format("using Params = std::vector<int>;")), [["a"], ["b"], ["c"]])

    def test_macros_go_apart(self):
        self.assertEqual(self.batches(a="#define ROW(x) x\n", b="#define ROW(x) -x\n"), [["a"], ["b"]])

    def test_comments_and_raw_strings_define_and_use_nothing(self):
        text = '// join(x)\nconst char* const kText = R"(\njoin(x) {\n)";\n'
        self.assertEqual(self.batches(a=LOCAL.format("int join(int x) {"), b=text), [["a", "b"]])

    def test_using_directives_hold_for_files_that_have_the_same(self):
        enums, space = "using enum Kind;\n", "using namespace hilo::ops;  // algebra\n"
        self.assertEqual(self.batches(a="int f();\n", b=enums, c="int g();\n", d=space, e=enums), [["a", "c"], ["b", "e"], ["d"]])

    def test_files_with_an_umbrella_header_go_together(self):
        self.assertEqual(self.batches(a='#include "hilo/core.h"\n', b='#include "hilo/array/array.h"\n', c='#include "hilo/nn.h"\n'),
                         [["a", "c"], ["b"]])

    def test_a_batch_has_twelve_files(self):
        found = self.batches(**{f"f{k:02}": "int x;\n" for k in range(13)})
        self.assertEqual([len(batch) for batch in found], [12, 1])

    def test_folders_go_apart_and_an_unchanged_file_keeps_its_time(self):
        self.plant("a/x.cc", "")
        self.plant("b/y.cc", "")
        folders = unity.by_folder([self.root / "b/y.cc", self.root / "a/x.cc"])
        self.assertEqual([folder.name for folder in folders], ["a", "b"])
        path = pathlib.Path(self.root / "out/a/0.cc")
        unity.write_if_new(path, "text")
        before = path.stat().st_mtime_ns
        unity.write_if_new(path, "text")
        self.assertEqual(path.stat().st_mtime_ns, before)
