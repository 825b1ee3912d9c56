// SPDX-License-Identifier: Apache-2.0
// JAX's loop over pivots is recognized, and no loop that computes anything else: each variation of its body with
// another operand, constant or attribute either is rejected or has the same results for all pivots.
#include "hilo/hlo/passes/small_linalg/pivot_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/hlo/ops/run_text.h"

namespace hilo::hlo::small_linalg {
namespace {

/// Two of three rows, one matrix.
constexpr std::string_view kOne = R"(  c = (s32[2], s64[], s64[], s32[3]) parameter(0)
  pivots = s32[2] get-tuple-element(c), index=0
  i = s64[] get-tuple-element(c), index=1
  k = s64[] get-tuple-element(c), index=2
  order = s32[3] get-tuple-element(c), index=3
  zero = s64[] constant(0)
  one = s64[] constant(1)
  two = s64[] constant(2)
  zero32 = s32[] constant(0)
  three = s32[] constant(3)
  next_k = s64[] add(k, one)
  negative = pred[] compare(k, zero), direction=LT
  from_end = s64[] add(k, two)
  at_k = s64[] select(negative, from_end, k)
  pivot_slice = s32[1] dynamic-slice(pivots, at_k), dynamic_slice_sizes={1}
  pivot = s32[] reshape(pivot_slice)
  x_slice = s32[1] dynamic-slice(order, at_k), dynamic_slice_sizes={1}
  x = s32[] reshape(x_slice)
  negative_pivot = pred[] compare(pivot, zero32), direction=LT
  pivot_from_end = s32[] add(pivot, three)
  at_pivot = s32[] select(negative_pivot, pivot_from_end, pivot)
  y_slice = s32[1] dynamic-slice(order, at_pivot), dynamic_slice_sizes={1}
  y = s32[] reshape(y_slice)
  at_k32 = s32[] convert(at_k)
  first_index = s32[1] broadcast(at_k32), dimensions={}
  first = s32[3] scatter(order, first_index, y), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=overwrite
  second_index = s32[1] broadcast(at_pivot), dimensions={}
  both = s32[3] scatter(first, second_index, x), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=overwrite
  next_i = s64[] add(i, one)
  ROOT next = (s32[2], s64[], s64[], s32[3]) tuple(pivots, next_i, next_k, both)
)";

/// The same with updates of slices, in the other order.
constexpr std::string_view kUpdates = R"(  c = (s32[2], s64[], s64[], s32[3]) parameter(0)
  pivots = s32[2] get-tuple-element(c), index=0
  i = s64[] get-tuple-element(c), index=1
  k = s64[] get-tuple-element(c), index=2
  order = s32[3] get-tuple-element(c), index=3
  zero = s64[] constant(0)
  one = s64[] constant(1)
  pivot_slice = s32[1] dynamic-slice(pivots, k), dynamic_slice_sizes={1}
  pivot = s32[] reshape(pivot_slice)
  x = s32[1] dynamic-slice(order, i), dynamic_slice_sizes={1}
  y = s32[1] dynamic-slice(order, pivot), dynamic_slice_sizes={1}
  first = s32[3] dynamic-update-slice(order, x, pivot)
  both = s32[3] dynamic-update-slice(first, y, k)
  next_i = s64[] add(one, i)
  next_k = s64[] add(k, one)
  ROOT next = (s32[2], s64[], s64[], s32[3]) tuple(pivots, next_i, next_k, both)
)";

/// Two matrices of three rows.
constexpr std::string_view kBatch = R"(  c = (s32[2,3], s64[], s64[], s32[2,3]) parameter(0)
  pivots = s32[2,3] get-tuple-element(c), index=0
  i = s64[] get-tuple-element(c), index=1
  k = s64[] get-tuple-element(c), index=2
  order = s32[2,3] get-tuple-element(c), index=3
  one = s64[] constant(1)
  zero = s32[] constant(0)
  zeros = s32[2] broadcast(zero), dimensions={}
  three = s32[] constant(3)
  threes = s32[2] broadcast(three), dimensions={}
  index = s64[1] broadcast(k), dimensions={}
  pivot_column = s32[2,1] gather(pivots, index), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={1}, index_vector_dim=0, slice_sizes={2,1}
  pivot = s32[2] reshape(pivot_column)
  x_column = s32[2,1] gather(order, index), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={1}, index_vector_dim=0, slice_sizes={2,1}
  x = s32[2] reshape(x_column)
  negative = pred[2] compare(pivot, zeros), direction=LT
  from_end = s32[2] add(pivot, threes)
  at_pivot = s32[2] select(negative, from_end, pivot)
  own_index = s32[2,1] broadcast(at_pivot), dimensions={0}
  y_column = s32[2,1] gather(order, own_index), offset_dims={1}, collapsed_slice_dims={}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}
  y = s32[2] reshape(y_column)
  index32 = s32[1] convert(index)
  first = s32[2,3] scatter(order, index32, y), update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=0, to_apply=overwrite
  both = s32[2,3] scatter(first, own_index, x), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=overwrite
  next_i = s64[] add(i, one)
  next_k = s64[] add(k, one)
  ROOT next = (s32[2,3], s64[], s64[], s32[2,3]) tuple(pivots, next_i, next_k, both)
)";

constexpr std::string_view kComputations = R"(
overwrite {
  old = s32[] parameter(0)
  ROOT new = s32[] parameter(1)
}

keep {
  ROOT old = s32[] parameter(0)
  new = s32[] parameter(1)
}
)";

constexpr PivotLoop kLoop{0, 3};

std::optional<Module> module_of(const std::string& body) {
  StatusOr<Module> module = module_of_text(body, std::string(kComputations));
  if (!module.ok()) return std::nullopt;
  return *std::move(module);
}

/// Returns all lists of `count` pivots with i <= pivot i < rows.
std::vector<std::vector<int32_t>> all_pivots(int64_t count, int64_t rows) {
  std::vector<std::vector<int32_t>> all = {{}};
  for (int64_t k = 0; k < count; ++k) {
    std::vector<std::vector<int32_t>> longer;
    for (const std::vector<int32_t>& pivots : all) {
      for (int64_t row = k; row < rows; ++row) {
        longer.push_back(pivots);
        longer.back().push_back(static_cast<int32_t>(row));
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Whether the loop returns the permutation of these pivots, of one or two matrices.
bool permutes(const Computation& body, std::initializer_list<std::vector<int32_t>> pivots) {
  const Shape carry = body.parameter_shapes()[0];
  const int64_t rows = carry.tuple_element(3).dimensions().back();
  Literal given(carry.tuple_element(0)), order(carry.tuple_element(3)), expected(carry.tuple_element(3));
  int64_t item = 0, steps = 0;
  for (const std::vector<int32_t>& p : pivots) {
    steps = std::ssize(p);
    std::ranges::copy(p, given.data<int32_t>().begin() + item * steps);
    const auto start = order.data<int32_t>().subspan(item * rows, rows),
               end = expected.data<int32_t>().subspan(item * rows, rows);
    std::iota(start.begin(), start.end(), 0);
    std::iota(end.begin(), end.end(), 0);
    for (int64_t k = 0; k < steps; ++k) std::swap(end[k], end[p[k]]);
    ++item;
  }
  const auto state_at = [&](int64_t step, const Literal& permutation) {
    return Literal::tuple({given, Literal::scalar(step), Literal::scalar(step), permutation});
  };
  Literal state = state_at(0, order);
  for (int64_t step = 0; step < steps; ++step) {
    const StatusOr<Literal> next = evaluate(body, {state});
    if (!next.ok()) return false;
    state = *next;
  }
  return state.identical(state_at(steps, expected));
}

bool permutes_by_all_pivots(const Computation& body) {
  const Shape carry = body.parameter_shapes()[0];
  const Shape pivots = carry.tuple_element(0);
  const auto all = all_pivots(pivots.dimensions().back(), carry.tuple_element(3).dimensions().back());
  return std::ranges::all_of(all, [&](const std::vector<int32_t>& p) {
    if (pivots.rank() == 1) return permutes(body, {p});
    return std::ranges::all_of(all, [&](const std::vector<int32_t>& q) { return permutes(body, {p, q}); });
  });
}

std::vector<std::string> names_in(const std::string& body) {
  std::vector<std::string> names;
  for (size_t at = body.find(" = "); at != std::string::npos; at = body.find(" = ", at + 1)) {
    const size_t begin = body.rfind(' ', at - 1) + 1;
    names.push_back(body.substr(begin, at - begin));
  }
  return names;
}

/// Returns the body with one operand replaced by another name, for all operands and names.
std::vector<std::string> with_other_operands(const std::string& body) {
  std::vector<std::string> variations;
  const std::vector<std::string> names = names_in(body);
  for (size_t at = body.find('('); at != std::string::npos; at = body.find('(', at + 1)) {
    for (size_t begin = at + 1; begin != std::string::npos && body[begin - 1] != ')';) {
      const size_t end = body.find_first_of(",)", begin);
      const std::string operand = body.substr(begin, end - begin);
      if (std::ranges::find(names, operand) == names.end()) break;
      for (const std::string& name : names) {
        if (name != operand) variations.push_back(body.substr(0, begin) + name + body.substr(end));
      }
      begin = body[end] == ')' ? std::string::npos : end + 2;
    }
  }
  return variations;
}

/// Returns the body with one constant or attribute changed, for all of them.
std::vector<std::string> with_other_attributes(const std::string& body) {
  constexpr std::pair<std::string_view, std::string_view> kChanges[] = {
      {"constant(0)", "constant(1)"},
      {"constant(1)", "constant(2)"},
      {"constant(2)", "constant(-1)"},
      {"constant(3)", "constant(2)"},
      {"direction=LT", "direction=GE"},
      {"direction=LT", "direction=LE"},
      {"direction=LT", "direction=GT"},
      {"to_apply=overwrite", "to_apply=keep"},
      {" add(", " subtract("},
      {" add(", " multiply("},
      {"index=0", "index=3"},
      {"index=1", "index=2"},
      {"index=2", "index=1"},
      {"index=3", "index=0"},
      {"start_index_map={1}", "start_index_map={0}"},
      {"scatter_dims_to_operand_dims={1}", "scatter_dims_to_operand_dims={0}"},
      {"inserted_window_dims={1}", "inserted_window_dims={0}"},
      {"slice_sizes={2,1}", "slice_sizes={1,1}"}};
  std::vector<std::string> variations;
  for (const auto& [from, to] : kChanges) {
    for (size_t at = body.find(from); at != std::string::npos; at = body.find(from, at + 1)) {
      variations.push_back(body);
      variations.back().replace(at, from.size(), to);
    }
  }
  return variations;
}

class PivotLoopBody : public testing::TestWithParam<std::string_view> {};

TEST_P(PivotLoopBody, IsRecognizedAndNoVariationThatComputesAnythingElse) {
  const std::string body(GetParam());
  const std::optional<Module> module = module_of(body);
  ASSERT_TRUE(module);
  EXPECT_TRUE(exchanges_by_pivots(*module->entry, kLoop));
  EXPECT_TRUE(permutes_by_all_pivots(*module->entry));
  std::vector<std::string> variations = with_other_operands(body);
  std::ranges::copy(with_other_attributes(body), std::back_inserter(variations));
  int valid = 0, recognized = 0;
  for (const std::string& variation : variations) {
    const std::optional<Module> other = module_of(variation);
    if (!other || other->entry->parameter_shapes() != module->entry->parameter_shapes()) continue;
    ++valid;
    if (!exchanges_by_pivots(*other->entry, kLoop)) continue;
    ++recognized;
    EXPECT_TRUE(permutes_by_all_pivots(*other->entry)) << variation;
  }
  EXPECT_GT(valid, 30);
  EXPECT_GT(recognized, 0);
  EXPECT_LT(recognized, valid);
}

std::string name_of(const testing::TestParamInfo<std::string_view>& info) {
  constexpr const char* kNames[] = {"One", "Updates", "Batch"};
  return kNames[info.index];
}

INSTANTIATE_TEST_SUITE_P(Bodies, PivotLoopBody, testing::Values(kOne, kUpdates, kBatch), name_of);

}  // namespace
}  // namespace hilo::hlo::small_linalg
