# SPDX-License-Identifier: Apache-2.0
import subprocess

import check_symbols
from planted import ROOT, Planted

SOURCE = """
#include <vector>
namespace hilo {
struct Base { virtual ~Base(); virtual int f() const; };
Base::~Base() = default;
int Base::f() const { static std::vector<int> v(3); v.push_back(1); return static_cast<int>(v.size()); }
template <typename T> T twice(T x) { return x + x; }
template int twice<int>(int);
}
extern "C" int hilo_answer() { return hilo::twice(21); }
int stray() { return 1; }
"""


class CheckSymbols(Planted):
    def library(self, *flags):
        source, library = self.plant("a.cc", SOURCE), self.root / "liba.so"
        subprocess.run(["g++", "-shared", "-fPIC", source, "-o", library, *flags], check=True)
        return library

    def test_accepts_what_the_version_script_leaves(self):
        script = self.plant("hilo.map", (ROOT / "cmake" / "hilo.map.in").read_text().replace("@HILO_ABI_VERSION@", "0.1"))
        library = self.library(f"-Wl,--version-script={script}")
        self.assertEqual(check_symbols.foreign_symbols(library), [])
        names = check_symbols.output("nm", "-DC", "--defined-only", str(library))
        for wanted in ("hilo_answer", "int hilo::twice<int>(int)", "typeinfo for hilo::Base", "hilo::Base::f() const"):
            self.assertIn(wanted, names)

    def test_finds_a_stray_symbol_and_the_standard_library_templates(self):
        found = "\n".join(check_symbols.foreign_symbols(self.library()))
        self.assertIn("shows _Z5strayv, which is not hilo's", found)
        self.assertIn("St6vectorIiSaIiEE", found)

    def test_finds_a_symbol_that_is_used_and_not_defined(self):
        self.plant("b.cc", "namespace hilo { int missing(); int f() { return missing(); } }")
        library = self.root / "libb.so"
        subprocess.run(["g++", "-shared", "-fPIC", self.root / "b.cc", "-o", library], check=True)
        self.assertEqual(check_symbols.missing_symbols(library),
                         [f"{library}: uses _ZN4hilo7missingEv, which it does not define"])

    def test_finds_a_library_that_is_not_listed(self):
        found = check_symbols.foreign_libraries(self.library("-Wl,--no-as-needed", "-lcrypt"))
        self.assertEqual(len(found), 1)
        self.assertIn("needs libcrypt.so.1", found[0])

    def test_finds_a_library_over_40_megabytes(self):
        self.plant("big.cc", "extern const char hilo_big[41'000'000] = {1};")
        library = self.root / "big.so"
        subprocess.run(["g++", "-shared", "-fPIC", self.root / "big.cc", "-o", library], check=True)
        self.assertIn("41.0 MB stripped; wanted at most 40", check_symbols.too_large(library)[0])
