# SPDX-License-Identifier: Apache-2.0
"""Every environment variable that hilo's sources read is in the table of base/flag_table.h, and therefore in
docs/flags.md and in the output of `hilo flags`; the table has no other."""

import re
import unittest

from planted import ROOT

READ = re.compile(r'(?:getenv|file_of)\(\s*"(HILO_\w+)"')
LISTED = re.compile(r'^\s*\{"(\w+)",', re.M)


def variables_read() -> set[str]:
    sources = [path for path in (ROOT / "src" / "hilo").rglob("*") if path.suffix in (".cc", ".h")]
    return {name for path in sources for name in READ.findall(path.read_text())}


def variables_listed() -> set[str]:
    table = (ROOT / "src/hilo/base/flag_table.h").read_text()
    return set(LISTED.findall(table[table.index("kEnvironmentVariables"):]))


class EnvironmentTable(unittest.TestCase):
    def test_has_each_variable_that_is_read(self):
        self.assertGreater(len(variables_read()), 10)
        self.assertEqual(sorted(variables_read() - variables_listed()), [])

    def test_has_no_other(self):
        own = {name for name in variables_listed() if name.startswith("HILO_")}
        self.assertEqual(sorted(own - variables_read()), [])

    def test_is_in_the_page_of_flags(self):
        page = (ROOT / "docs/flags.md").read_text()
        self.assertEqual([name for name in sorted(variables_listed()) if f"`{name}`" not in page], [])
