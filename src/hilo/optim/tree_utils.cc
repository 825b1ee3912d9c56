// SPDX-License-Identifier: Apache-2.0
#include "hilo/optim/tree_utils.h"

#include "hilo/numpy/numpy.h"

namespace hilo::optim::tree_utils::detail {

Array sum(const Leaves& leaves) {
  Array total = 0;
  for (const Array& x : leaves) total = total + numpy::sum(x);
  return total;
}

Array vdot(const Leaves& a, const Leaves& b) {
  if (a.size() != b.size())
    or_throw(invalid_argument("tree_vdot: got trees of " + std::to_string(a.size()) + " and " +
                              std::to_string(b.size()) + " arrays; wanted trees of one structure"));
  Array total = 0;
  for (size_t i = 0; i < a.size(); ++i) total = total + numpy::vdot(a[i], b[i]);
  return total;
}

Leaves full_like(const Leaves& leaves, const Array& value) {
  Leaves out;
  for (const Array& x : leaves) out.push_back(numpy::full_like(x, value));
  return out;
}

Leaves cast(const Leaves& leaves, ElementType type) {
  Leaves out;
  for (const Array& x : leaves) out.push_back(numpy::astype(x, type));
  return out;
}

}  // namespace hilo::optim::tree_utils::detail
