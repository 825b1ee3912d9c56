// SPDX-License-Identifier: Apache-2.0
// A planted bug: reads past the end of a heap buffer.
// sanitizer: address,undefined
// report: heap-buffer-overflow
#include <cstddef>
#include <vector>

int main(int argc, char**) {
  std::vector<int> values(4, argc);
  const volatile std::size_t past = values.size();
  return *(values.data() + past);
}
