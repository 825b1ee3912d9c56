# SPDX-License-Identifier: Apache-2.0
import subprocess

import check_instances
from planted import Planted


class CheckInstances(Planted):
    def left(self, source):
        compiled = self.root / "a.o"
        subprocess.run(["g++", "-std=c++20", "-c", self.plant("a.cc", source), "-o", compiled], check=True)
        return "\n".join(check_instances.left_in(compiled))

    def test_accepts_declarations_templates_and_constants(self):
        self.assertEqual(self.left("""
            struct A { A(); ~A(); };
            extern const A a;
            template <typename T> T twice(T x) { return x + x; }
            inline int f() { return twice(1); }
            inline constexpr int kOne = 1;
            int main() {}"""), "")

    def test_finds_what_is_made_when_the_program_starts(self):
        found = self.left("struct A { A() {} ~A() {} }; inline const A a; int main() {}")
        self.assertIn("_GLOBAL__sub_I", found)
        self.assertIn("A::~A()", found)

    def test_each_use_of_a_transformation_is_a_function_of_its_own(self):
        text = check_instances.text_of(["a = f(a);", "a = g(a);"])
        self.assertIn("Array f0(Array a) { a = f(a); return a; }", text)
        self.assertIn("Array f1(Array a) { a = g(a); return a; }", text)
