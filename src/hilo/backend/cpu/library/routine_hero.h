// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/routine_hero.h -- library calls by functions of backend/cpu/runtime, which objects can call too.
#pragma once

#include <cstring>

#include "hilo/backend/cpu/library/hero.h"

namespace hilo::cpu {

/// Writes a problem and its lists.
template <typename Problem>
class ProblemWriter {
 public:
  Problem problem;

  explicit ProblemWriter(const Problem& from) : problem(from), bytes_(padded(sizeof(Problem))) {}

  /// Writes a list. `list` is a field of `problem`.
  template <typename T, typename Items>
  void set(runtime::List<T>& list, const Items& items) {
    list = {bytes_.size(), std::size(items)};
    for (const auto& item : items) {
      const T value = static_cast<T>(item);
      const auto* const from = reinterpret_cast<const std::byte*>(&value);
      bytes_.insert(bytes_.end(), from, from + sizeof(T));
    }
    bytes_.resize(padded(bytes_.size()));
  }
  std::vector<std::byte> finish() && {
    std::memcpy(bytes_.data(), &problem, sizeof(Problem));
    return std::move(bytes_);
  }

 private:
  static size_t padded(size_t bytes) { return (bytes + 15) / 16 * 16; }

  std::vector<std::byte> bytes_;
};

/// How a call is divided among threads.
struct RoutineWork {
  int64_t units = 1;
  double nanoseconds = 0;  ///< on one thread
  int64_t most_tasks = 1;  ///< each has scratch memory of its own
};

/// Returns a hero that calls the function.
std::unique_ptr<Hero> make_routine_hero(RoutineCall call, std::vector<void*> code, const RoutineWork& work);

}  // namespace hilo::cpu
