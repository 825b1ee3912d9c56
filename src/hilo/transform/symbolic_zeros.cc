// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/symbolic_zeros.h"

#include <algorithm>

namespace hilo {
namespace {

thread_local ArrayMarks* current_marks = nullptr;

}  // namespace

ArrayMarks::ArrayMarks() : outer_(current_marks) { current_marks = this; }
ArrayMarks::~ArrayMarks() { current_marks = outer_; }

const ArrayMarks* ArrayMarks::current() { return current_marks; }

bool ArrayMarks::has(Kind kind, const Array& x) const {
  return std::ranges::any_of(marked_[kind], [&](const Array& marked) { return marked.handle() == x.handle(); });
}

void ArrayMarks::inherit(std::span<const Array> from, std::span<const Array> to) {
  for (const Kind kind : {kZero, kPerturbed}) {
    for (size_t i = 0; outer_ != nullptr && i < from.size(); ++i) {
      if (outer_->has(kind, from[i])) add(kind, to[i]);
    }
  }
}

bool is_symbolic_zero(const Array& x) { return current_marks != nullptr && current_marks->has(ArrayMarks::kZero, x); }
bool is_perturbed(const Array& x) { return current_marks != nullptr && current_marks->has(ArrayMarks::kPerturbed, x); }

}  // namespace hilo
