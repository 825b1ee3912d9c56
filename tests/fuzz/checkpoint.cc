// SPDX-License-Identifier: Apache-2.0
// Any bytes are a checkpoint or an error. Filling a pytree from the result is safe.
#include <cstdlib>

#include "hilo/numpy/numpy.h"
#include "hilo/training/checkpoint_file.h"

namespace {

struct State {
  hilo::Array w;
  std::map<std::string, int> numbers;
  std::string name;
  HILO_TREE(w, numbers, name)
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hilo::training::checkpoint_detail;
  const auto snapshot = parse_checkpoint({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!snapshot.ok()) return 0;
  State state = {hilo::Array(1.0f), {{"a", 1}}, "x"};
  static_cast<void>(fill(*snapshot, [&](hilo::TreeVisitor& visitor) { hilo::walk(state, visitor); }));
  const auto bytes = checkpoint_bytes(*snapshot);
  if (!bytes.ok() || !parse_checkpoint(*bytes, "fuzz").ok()) std::abort();
  return 0;
}
