// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/plain_control_flow.h"

#include "hilo/trace/ops.h"
#include "hilo/trace/staging_trace.h"

namespace hilo::lax::detail {

std::optional<int64_t> known_scalar(const Array& x) {
  try {
    return x.dtype() == ElementType::kPred ? int64_t{x.item<bool>()} : x.item<int64_t>();
  } catch (const ConcretizationError&) {
    return std::nullopt;
  }
}

std::optional<std::vector<Array>> plain_while_loop(const FlatFunction& condition, const FlatFunction& body,
                                                   std::span<const Array> initial) {
  std::vector<Array> carry(initial.begin(), initial.end());
  while (true) {
    const std::vector<Array> test = condition(carry);
    const std::optional<int64_t> goes_on = known_scalar(test.at(0));
    if (!goes_on) return std::nullopt;
    if (*goes_on == 0) return carry;
    carry = body(carry);
  }
}

Array row(const Array& x, int64_t i) {
  return ops::reshape(ops::slice_along(x, 0, {i, i + 1, 1}), x.shape().subspan(1));
}

Array stacked_rows(std::span<const Array> rows) {
  std::vector<Array> stacked;
  for (const Array& x : rows) {
    std::vector<int64_t> dims(x.shape().begin(), x.shape().end());
    dims.insert(dims.begin(), 1);
    stacked.push_back(ops::reshape(x, dims));
  }
  return ops::concatenate(stacked, 0);
}

ScanResult plain_scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs, int64_t length,
                      bool reverse, const std::source_location& location) {
  if (length == 0) {
    std::vector<Aval> avals;
    for (const Array& c : initial) avals.push_back(c.aval());
    for (const Array& x : xs) avals.push_back({Shape::array(x.dtype(), x.shape().subspan(1)), x.weak_type()});
    const size_t count =
        stage_with_refs(f, avals, "scan", "step", CapturePlace::kFirst, /*always_tuple=*/true).own_result_count();
    if (count == initial.size()) return {{initial.begin(), initial.end()}, {}};
    or_throw(invalid_argument("scan (" + describe_location(location) +
                              "): zero-length scan is not supported under disable_jit, because the output type is "
                              "unknown"));
  }
  const int64_t carry_count = initial.size();
  std::vector<Array> carry(initial.begin(), initial.end());
  std::vector<std::vector<Array>> ys;  // rows of each result
  for (int64_t step = 0; step < length; ++step) {
    const int64_t at = reverse ? length - 1 - step : step;
    std::vector<Array> arguments = carry;
    for (const Array& x : xs) arguments.push_back(row(x, at));
    const std::vector<Array> out = f(arguments);
    carry.assign(out.begin(), out.begin() + carry_count);
    ys.resize(out.size() - initial.size(), std::vector<Array>(length));
    for (size_t y = 0; y < ys.size(); ++y) ys[y][at] = out[initial.size() + y];
  }
  ScanResult result{std::move(carry), {}};
  for (const std::vector<Array>& rows : ys) result.ys.push_back(stacked_rows(rows));
  return result;
}

}  // namespace hilo::lax::detail
