// SPDX-License-Identifier: Apache-2.0
// A planted bug: loses the only pointer to a buffer.
// sanitizer: address,undefined
// report: detected memory leaks
#include <cstdio>

int* volatile keeper;

int main() {
  keeper = new int[100];
  keeper = nullptr;
  std::puts("lost");
  return 0;
}
