// SPDX-License-Identifier: Apache-2.0
// transform/symbolic_zeros.h -- what a custom rule that asks for symbolic zeros is told of its arguments.
#pragma once

#include <array>
#include <vector>

#include "hilo/array/array.h"

namespace hilo {

/// Is `x`, a tangent or cotangent that a rule with {.symbolic_zeros = true} got, zero whatever the values are? In JAX: is
/// it a SymbolicZero. False outside of such a rule.
bool is_symbolic_zero(const Array& x);
/// Does a derivative depend on `x`, an argument of a fwd with {.symbolic_zeros = true}? In JAX: x.perturbed. False outside
/// of such a rule. Where one array is two arguments, both count as perturbed if one is.
bool is_perturbed(const Array& x);

/// The arrays that these two know, while it lives, on this thread; those of a scope around it aren't seen. Not for users.
class ArrayMarks {
 public:
  enum Kind : uint8_t { kZero, kPerturbed };
  ArrayMarks();
  ~ArrayMarks();
  ArrayMarks(const ArrayMarks&) = delete;
  ArrayMarks& operator=(const ArrayMarks&) = delete;

  void add(Kind kind, const Array& x) { marked_[kind].push_back(x); }
  /// `to[i]` stands for `from[i]`, and is what that is in the scope around.
  void inherit(std::span<const Array> from, std::span<const Array> to);
  bool has(Kind kind, const Array& x) const;
  static const ArrayMarks* current();

 private:
  ArrayMarks* outer_;
  std::array<std::vector<Array>, 2> marked_;
};

}  // namespace hilo
