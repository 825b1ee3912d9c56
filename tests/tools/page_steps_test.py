# SPDX-License-Identifier: Apache-2.0
"""The tests of pages with steps follow the steps and find errors, on planted pages."""

import sys

from planted import ROOT, Planted

sys.path.insert(0, str(ROOT / "tests" / "support"))
import page_steps as steps  # noqa: E402

PAGE = """The program `x.txt`

```
one 0.5
```

says

```console
$ cat x.txt
one 0.5
```

In `a.cc`, after the line with `here`:

```cpp
after
```

In `a.cc`, before the line with `here`:

```cpp
before
```

The new file `b/c.cc`:

```cpp
new
```

```console
$ echo two; cat x.txt
two
one 0.5
$ true
```
"""


class PageSteps(Planted):
    def page(self, text: str):
        self.plant("copy/a.cc", "first\nhere\nlast\n")
        self.plant("page.md", text)
        return self.root / "page.md"

    def fails(self, words: str, function, *arguments, **options):
        with self.assertRaisesRegex(AssertionError, words):
            function(*arguments, **options)

    def test_steps_are_done_in_the_copy(self):
        steps.the_page_can_be_applied(self.page(PAGE), self.root / "copy")
        self.assertEqual((self.root / "copy/a.cc").read_text(), "first\nbefore\nhere\nafter\nlast\n")
        self.assertEqual((self.root / "copy/b/c.cc").read_text(), "new\n")

    def test_places_that_are_not_there_or_twice_are_found(self):
        self.fails("0 lines of a.cc hold 'gone'", steps.the_page_can_be_applied,
                   self.page(PAGE.replace("`here`", "`gone`")), self.root / "copy")
        self.fails("2 lines of a.cc hold 'st'", steps.the_page_can_be_applied,
                   self.page(PAGE.replace("`here`", "`st`")), self.root / "copy")

    def test_a_file_that_is_there_is_not_new(self):
        self.fails("README.md is there already", steps.the_page_can_be_applied,
                   self.page(PAGE.replace("b/c.cc", "README.md")), self.root / "copy")

    def test_commands_print_what_the_page_shows(self):
        for before in (True, False):
            steps.run_sessions(self.page(PAGE), self.root, before)

    def test_other_words_and_numbers_are_found(self):
        self.fails("after 'echo two; cat x.txt' it shows", steps.run_sessions,
                   self.page(PAGE.replace("\ntwo\n", "\nthree\n")), self.root, before=False)
        self.fails("after 'cat x.txt' it shows", steps.run_sessions,
                   self.page(PAGE.replace("$ cat x.txt\none 0.5", "$ cat x.txt\none 0.50001")), self.root, before=True)

    def test_a_command_that_fails_is_found(self):
        self.fails("exit status 1", steps.run_sessions, self.page(PAGE.replace("$ true", "$ false")), self.root, before=False)
