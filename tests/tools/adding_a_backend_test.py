# SPDX-License-Identifier: Apache-2.0
"""Tests that tests/adding_a_backend finds planted errors in a small tree."""

import importlib.util

from planted import ROOT, Planted

SPEC = importlib.util.spec_from_file_location("adding_a_backend", ROOT / "tests/adding_a_backend/run.py")
page_test = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(page_test)

INTERFACE = "class {0} {{\n public:\n  virtual ~{0}() = default;\n{1}}};\n"
FUNCTIONS = {
    "Client": "  virtual int compile(int a,\n                      int b) = 0;  // no virtual f() = 0;\n",
    "Device": "  virtual int kind() const = 0;\n  virtual int copy();\n",
    "Buffer": "  virtual const char* host_view() const { return nullptr; }\n",
    "Executable": " protected:\n  virtual int start(int run) = 0;\n",
}
PAGE = """These functions are pure virtual.

| function | what it promises |
|---|---|
| `Client::compile` | a |
| `Device::kind` | b |
| `Executable::start` | c |

These functions have a default.

| function | the default |
|---|---|
| `Device::copy` | d |
| `Buffer::host_view` | e |

See `tests/support/fake_client.h`.

```cpp
int kind() const override {
  return 1;
}
```
"""
EXAMPLE = """class FakeClient final : public Client {
  int compile(int a, int b) override;
};
class FakeDevice final : public Device {
  int kind() const override {
    return 1;
  }
};
class FakeExecutable final : public Executable {
  int start(int run) override { return run; }
};
"""


class AddingABackend(Planted):
    def setUp(self):
        super().setUp()
        for name, functions in FUNCTIONS.items():
            self.plant(f"src/hilo/device/{name.lower()}.h", INTERFACE.format(name, functions))
        self.plant("docs/contributing/adding_a_backend.md", PAGE)
        self.plant("tests/support/fake_client.h", "")
        self.plant("tests/support/fake_client.cc", EXAMPLE)

    def assert_found(self, case, words):
        with self.assertRaises(AssertionError) as caught:
            case(self.root)
        self.assertIn(words, str(caught.exception))

    def test_accepts_a_page_that_says_what_is_so(self):
        page_test.the_page_lists_the_pure_virtual_functions(self.root)
        page_test.the_page_lists_the_functions_with_a_default(self.root)
        page_test.the_example_overrides_every_pure_virtual_function(self.root)
        page_test.the_code_of_the_page_is_in_the_example(self.root)
        page_test.the_files_that_the_page_names_are_there(self.root)

    def test_finds_a_function_that_the_page_lacks(self):
        self.plant("src/hilo/device/buffer.h", INTERFACE.format("Buffer", "  virtual void free_memory() = 0;\n"))
        self.assert_found(page_test.the_page_lists_the_pure_virtual_functions, "lacks ['Buffer::free_memory']")
        self.assert_found(page_test.the_page_lists_the_functions_with_a_default, "lists ['Buffer::host_view']")

    def test_finds_a_function_that_has_a_default_by_now(self):
        self.plant("src/hilo/device/client.h", INTERFACE.format("Client", "  virtual int compile(int a, int b);\n"))
        self.assert_found(page_test.the_page_lists_the_pure_virtual_functions, "lists ['Client::compile']")

    def test_finds_a_function_that_it_does_not_understand(self):
        self.plant("src/hilo/device/client.h", INTERFACE.format("Client", "  virtual auto compile;\n"))
        self.assert_found(page_test.the_page_lists_the_pure_virtual_functions, "1 virtual functions, of which []")

    def test_finds_what_the_example_does_not_override(self):
        self.plant("tests/support/fake_client.cc", EXAMPLE.replace("int run) override", "int run)"))
        self.assert_found(page_test.the_example_overrides_every_pure_virtual_function, "['Executable::start']")

    def test_finds_code_that_is_not_in_the_example(self):
        self.plant("docs/contributing/adding_a_backend.md", PAGE.replace("return 1", "return 2"))
        self.assert_found(page_test.the_code_of_the_page_is_in_the_example, "return 2")

    def test_finds_a_file_that_is_gone(self):
        self.plant("docs/contributing/adding_a_backend.md", PAGE + "`src/hilo/device/gone.h`\n")
        self.assert_found(page_test.the_files_that_the_page_names_are_there, "src/hilo/device/gone.h")
