// SPDX-License-Identifier: Apache-2.0
// A planted bug: reads a buffer that its owner has freed.
// sanitizer: address,undefined
// report: heap-use-after-free
#include <memory>

int main(int argc, char**) {
  auto owner = std::make_unique<int>(argc);
  const int* const borrowed = owner.get();
  owner.reset();
  return *borrowed;
}
