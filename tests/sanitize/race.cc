// SPDX-License-Identifier: Apache-2.0
// A planted bug: two threads count without a lock.
// sanitizer: thread
// report: data race
#include <thread>

int main() {
  int count = 0;
  auto work = [&count] {
    for (int i = 0; i < 1000; ++i) ++count;
  };
  std::thread one(work), other(work);
  one.join();
  other.join();
  return count == 0;
}
