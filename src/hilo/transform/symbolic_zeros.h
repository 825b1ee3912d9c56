// SPDX-License-Identifier: Apache-2.0
// transform/symbolic_zeros.h -- queries for custom rules with {.symbolic_zeros = true}.
#pragma once

#include <array>
#include <vector>

#include "hilo/array/array.h"

namespace hilo {

/// Returns whether a tangent or cotangent, passed to a rule with {.symbolic_zeros = true}, is zero for all values. In
/// JAX: whether it is a SymbolicZero. Returns false outside of such a rule.
bool is_symbolic_zero(const Array& x);
/// Returns whether a derivative depends on `x`, an argument of a fwd with {.symbolic_zeros = true}. In JAX:
/// x.perturbed. Returns false outside of such a rule. If one array is passed as two arguments, both count as perturbed
/// if either is.
bool is_perturbed(const Array& x);

/// The arrays that these two functions recognize on this thread during the object's lifetime. Hides those of enclosing
/// scopes. Not for users.
class ArrayMarks {
 public:
  enum Kind : uint8_t { kZero, kPerturbed };
  ArrayMarks();
  ~ArrayMarks();
  ArrayMarks(const ArrayMarks&) = delete;
  ArrayMarks& operator=(const ArrayMarks&) = delete;

  void add(Kind kind, const Array& x) { marked_[kind].push_back(x); }
  /// Marks `to[i]` with the mark that `from[i]` has in the enclosing scope; `to[i]` replaces `from[i]`.
  void inherit(std::span<const Array> from, std::span<const Array> to);
  bool has(Kind kind, const Array& x) const;
  static const ArrayMarks* current();

 private:
  ArrayMarks* outer_;
  std::array<std::vector<Array>, 2> marked_;
};

}  // namespace hilo
