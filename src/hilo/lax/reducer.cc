// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/reducer.h"

#include <fmt/format.h>

#include "hilo/trace/staging_trace.h"

namespace hilo::lax {

hlo::ComputationPtr stage_reducer(const char* function, const std::vector<ElementType>& types, const FlatFunction& f) {
  std::vector<Aval> avals;
  for (int side = 0; side < 2; ++side) {
    for (ElementType type : types) avals.push_back({Shape::scalar(type), false});
  }
  const FlatFunction checked = [&](std::span<const Array> x) {
    std::vector<Array> results = f(x);
    bool same = results.size() == types.size();
    for (size_t i = 0; same && i < types.size(); ++i) same = results[i].ndim() == 0 && results[i].dtype() == types[i];
    if (!same)
      or_throw(invalid_argument(
          fmt::format("{}: the function must give {} scalars of the operands' types; got {} results{}",
                      at_user_line(function), types.size(), results.size(),
                      results.empty() ? "" : ", the first of " + results[0].aval_shape().to_string())));
    return results;
  };
  StagedFunction staged = stage(checked, avals, function, "reducer");
  if (!staged.captures.empty())
    or_throw(invalid_argument(at_user_line(function) +
                              ": the function closes over an array; wanted a function of its arguments"));
  return staged.computation;
}

}  // namespace hilo::lax
