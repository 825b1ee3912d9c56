// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/control_flow.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/lax/carry.h"
#include "hilo/lax/plain_control_flow.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/custom_rules.h"

namespace hilo::lax::detail {
namespace {

std::string types_text(std::span<const Aval> avals) {
  std::string text = "(";
  for (size_t i = 0; i < avals.size(); ++i) text += (i == 0 ? "" : ", ") + avals[i].shape.to_string();
  return text + ")";
}

void check_types(std::string_view what, std::span<const Aval> got, std::span<const Aval> expected) {
  bool same = got.size() == expected.size();
  for (size_t i = 0; same && i < got.size(); ++i) same = got[i].shape == expected[i].shape;
  if (!same) {
    or_throw(invalid_argument(at_user_line(what) + ": got " + types_text(got) + ", wanted " + types_text(expected)));
  }
}

/// Returns the kind of a type: 1, 2, 3 for integers, floats and complex numbers; 0 for pred.
int kind_of(ElementType type) {
  if (type == ElementType::kPred) return 0;
  if (is_integer(type)) return 1;
  return is_floating(type) ? 2 : 3;
}

/// Converts weakly typed carries to the type of their result, if that is of the same or a higher kind, as in JAX.
std::vector<Array> promote_weak_carry(std::span<const Array> initial, std::span<const Aval> results) {
  std::vector<Array> carry;
  for (size_t i = 0; i < initial.size(); ++i) {
    const bool promote = i < results.size() && initial[i].weak_type() && initial[i].aval_shape() != results[i].shape &&
                         kind_of(results[i].shape.element_type()) >= kind_of(initial[i].dtype());
    carry.push_back(promote ? ops::convert_element_type(initial[i], results[i].shape.element_type()) : initial[i]);
  }
  return carry;
}

/// Makes results weakly typed where the function returns weak types, whatever types a loop or branch captures.
std::vector<Array> weak_as(std::vector<Array> results, std::span<const Aval> avals) {
  for (size_t i = 0; i < results.size(); ++i) results[i] = with_weak_type(results[i], avals[i].weak_type);
  return results;
}

std::vector<Array> joined(std::span<const Array> a, std::span<const Array> b) {
  std::vector<Array> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

/// Returns `f` with all of `captures` as further parameters, so that functions with different captures take the same
/// operands. Its own captures start at `begin`.
hlo::ComputationPtr over_all_captures(const StagedFunction& f, std::span<const Array> operands,
                                      std::span<const Array> captures, size_t begin) {
  std::vector<Aval> avals = avals_of(operands);
  for (const Aval& a : avals_of(captures)) avals.push_back(a);
  const FlatFunction narrow = [&](std::span<const Array> x) {
    std::vector<Array> own(x.begin(), x.begin() + operands.size());
    for (size_t i = 0; i < f.captures.size(); ++i) own.push_back(x[operands.size() + begin + i]);
    return run_computation(*f.computation, own);
  };
  return stage(narrow, avals, "cond", f.computation->name()).computation;
}

/// Returns i + 1, weakly typed if `i` is.
Array increment(const Array& i, const std::source_location& location) {
  const UserLocation here(location);
  return with_weak_type(ops::add(i, ops::full_like(i, 1)), i.weak_type());
}

Array less(const Array& i, const Array& end, const std::source_location& location) {
  const UserLocation here(location);
  return ops::lt(i, end);
}

/// Returns the predicate of a cond as pred[].
Array branch_index(const Operand& predicate) {
  const UserLocation here(predicate.location());
  const Array& index = predicate.array();
  if (index.ndim() != 0) {
    or_throw(invalid_argument(at_user_line("cond") + ": Pred must be a scalar, got " + index.aval_shape().to_string()));
  }
  return index.dtype() == ElementType::kPred ? index : ops::ne(index, ops::full_like(index, 0));
}

}  // namespace

int64_t trip_count(int64_t lower, int64_t upper, const std::source_location& location) {
  int64_t count = 0;
  if (__builtin_sub_overflow(upper, lower, &count) && upper > lower) {
    or_throw(out_of_range("fori_loop (" + describe_location(location) +
                          "): 64 bits don't hold the number of steps; got " + std::to_string(lower) + " and " +
                          std::to_string(upper)));
  }
  return upper > lower ? count : 0;
}

Bounds loop_bounds(const Operand& lower, const Operand& upper) {
  const UserLocation here(lower.location());
  Bounds bounds{lower.array(), upper.array(), false, 0, 0};
  for (const Array& bound : {bounds.lower, bounds.upper}) {
    if (bound.ndim() == 0 && is_integer(bound.dtype())) continue;
    or_throw(invalid_argument(at_user_line("fori_loop") + ": bounds must be integer scalars; got " +
                              bound.aval_shape().to_string()));
  }
  const bool weak = bounds.lower.weak_type() && bounds.upper.weak_type();
  if (bounds.lower.weak_type()) bounds.lower = ops::convert_element_type(bounds.lower, bounds.upper.dtype());
  else if (bounds.upper.weak_type()) bounds.upper = ops::convert_element_type(bounds.upper, bounds.lower.dtype());
  if (bounds.lower.dtype() != bounds.upper.dtype()) {
    or_throw(invalid_argument(at_user_line("fori_loop") + ": lower and upper bounds must have equal types; got " +
                              bounds.lower.aval_shape().to_string() + " and " + bounds.upper.aval_shape().to_string()));
  }
  bounds.lower = with_weak_type(bounds.lower, weak);
  bounds.upper = with_weak_type(bounds.upper, weak);
  const Array &first = lower.array(), &last = upper.array();
  bounds.have_values = is_concrete(first) && is_concrete(last);
  if (bounds.have_values) bounds.first = first.item<int64_t>(), bounds.last = last.item<int64_t>();
  return bounds;
}

void refuse_difference(std::string_view function, const std::source_location& location, std::string_view what,
                       const std::string& difference) {
  or_throw(invalid_argument(std::string(function) + " (" + describe_location(location) + "): " + std::string(what) +
                            ": " + difference));
}

namespace {

/// Returns `body` with a check that its next carry has the tree of the previous one.
FlatFunction keeping_tree(std::string_view name, std::string_view part, const FlatFunction& body,
                          const CarryTrees& carry, const std::source_location& location) {
  return [=, &body, &location, structure = flatten_walked(carry.initial).structure](std::span<const Array> leaves) {
    std::vector<Array> next = body(leaves);
    if (flatten_walked(carry.next).structure != structure)
      refuse_difference(name, location, std::string(part).append(" has another structure than the input"),
                        walk_difference(part, carry.next, "the input", carry.initial));
    return next;
  };
}

/// Runs a fori_loop of known length.
std::vector<Array> counted_loop(const Bounds& bounds, const FlatFunction& body, std::span<const Array> initial,
                                int64_t unroll, const std::source_location& location) {
  const FlatFunction step = [&](std::span<const Array> leaves) {
    const std::vector<Array> next = body(leaves);
    return joined(std::vector<Array>{increment(leaves[0], location)}, next);
  };
  const ScanResult result = unrolled_scan(step, joined(std::vector<Array>{bounds.lower}, initial), {},
                                          trip_count(bounds.first, bounds.last, location), false, unroll, location);
  return {result.carry.begin() + 1, result.carry.end()};
}

/// Runs a fori_loop whose bounds have no values, with the carry (index, end, carry).
std::vector<Array> uncounted_loop(const Bounds& bounds, const FlatFunction& body, std::span<const Array> initial,
                                  const std::source_location& location) {
  const FlatFunction condition = [&](std::span<const Array> leaves) {
    return std::vector<Array>{less(leaves[0], leaves[1], location)};
  };
  const FlatFunction step = [&](std::span<const Array> leaves) {
    const Array next_index = increment(leaves[0], location);
    return joined(std::vector<Array>{next_index, leaves[1]}, body(joined(leaves.first(1), leaves.subspan(2))));
  };
  const std::vector<Array> last =
      while_loop(condition, step, joined(std::vector<Array>{bounds.lower, bounds.upper}, initial), location);
  return {last.begin() + 2, last.end()};
}

}  // namespace

std::vector<Array> while_loop(const FlatFunction& condition, const FlatFunction& body, const CarryTrees& carry,
                              const std::source_location& location) {
  return while_loop(condition, keeping_tree("while_loop", "the body's result", body, carry, location),
                    flatten_walked(carry.initial).leaves, location);
}

ScanResult scan(const FlatFunction& f, const CarryTrees& carry, WalkRef xs, std::optional<int64_t> length, bool reverse,
                int64_t unroll, const std::source_location& location) {
  return unrolled_scan(keeping_tree("scan", "the step's carry", f, carry, location),
                       flatten_walked(carry.initial).leaves, flatten_walked(xs).leaves, length, reverse, unroll,
                       location);
}

std::vector<Array> fori_loop(const Bounds& bounds, const FlatFunction& body, const CarryTrees& carry, int64_t unroll,
                             const std::source_location& location) {
  const FlatFunction checked = keeping_tree("fori_loop", "the body's result", body, carry, location);
  const std::vector<Array> initial = flatten_walked(carry.initial).leaves;
  if (bounds.have_values) return counted_loop(bounds, checked, initial, unroll, location);
  if (unroll != 1) {
    or_throw(invalid_argument("fori_loop (" + describe_location(location) +
                              "): Can only use `unroll` in a fori_loop whose bounds have values; these are traced. "
                              "Hint: leave `unroll` out"));
  }
  return uncounted_loop(bounds, checked, initial, location);
}

std::vector<Array> cond(const Operand& predicate, const FlatFunction& if_true, const FlatFunction& if_false,
                        std::span<const Array> operands, WalkRef one, WalkRef other) {
  bool true_ran = false;  // stays false if only the selected branch runs
  const FlatFunction first = [&](std::span<const Array> leaves) {
    std::vector<Array> out = if_true(leaves);
    true_ran = true;
    return out;
  };
  const FlatFunction second = [&](std::span<const Array> leaves) {
    std::vector<Array> out = if_false(leaves);
    if (true_ran && flatten_walked(one).structure != flatten_walked(other).structure)
      refuse_difference("cond", predicate.location(), "branch outputs must have the same tree structure",
                        walk_difference("the true branch", one, "the false branch", other));
    return out;
  };
  const FlatFunction branches[] = {first, second};
  return conditional("cond", branch_index(predicate), branches, operands, predicate.location());
}

std::vector<Array> conditional(std::string_view name, const Array& index, std::span<const FlatFunction> branches,
                               std::span<const Array> operands, const std::source_location& location) {
  const bool predicated = index.dtype() == ElementType::kPred;
  if (is_on(Setting::kDisableJit)) {
    if (const std::optional<int64_t> known = known_scalar(index))
      return branches[predicated ? 1 - *known : *known](operands);
  }
  const std::vector<Aval> avals = avals_of(operands);
  std::vector<StagedFunction> staged;
  std::vector<Array> captures;
  std::vector<size_t> begins;
  for (size_t b = 0; b < branches.size(); ++b) {
    const std::string branch = predicated ? (b == 0 ? "true_branch" : "false_branch") : "branch_" + std::to_string(b);
    staged.push_back(stage(branches[b], avals, std::string(name), branch));
    begins.push_back(captures.size());
    captures = joined(captures, staged.back().captures);
  }
  const UserLocation here(location);  // set after tracing, because code in the branches has its own lines
  for (size_t b = 1; b < staged.size(); ++b) {
    check_types(std::string(name) + " branches must have equal output types but they differ; " +
                    (predicated ? "the false branch's result" : "the result of branch " + std::to_string(b)),
                staged[b].results, staged[0].results);
  }
  auto attributes = std::make_shared<hlo::ConditionalAttributes>();
  attributes->predicated = predicated;
  std::vector<Array> all = joined(operands, captures);
  const bool no_operands = all.empty();
  if (no_operands) all.push_back(ops::scalar(0, ElementType::kPred));  // branches need an operand
  for (size_t b = 0; b < staged.size(); ++b) {
    const StagedFunction& f = staged[b];
    attributes->branches.push_back(
        no_operands ? stage([&](std::span<const Array>) { return run_computation(*f.computation, {}); }, avals_of(all),
                            std::string(name), "branch")
                          .computation
                    : over_packed(over_all_captures(f, operands, captures, begins[b])));
  }
  all.insert(all.begin(), index);
  std::vector<Array> results = bind({hlo::Opcode::kConditional, std::move(all), std::move(attributes), std::nullopt});
  // If only one branch returns a weak type, the first branch decides, as in JAX; cond's first is the false one.
  return weak_as(std::move(results), predicated ? staged[1].results : staged[0].results);
}

Array switch_index(const Operand& index, size_t count) {
  const UserLocation here(index.location());
  const Array& i = index.array();
  if (i.ndim() != 0 || !is_integer(i.dtype())) {
    or_throw(invalid_argument(at_user_line("switch") + ": Index must be an integer scalar, got " +
                              i.aval_shape().to_string()));
  }
  const Array wide = ops::convert_element_type(i, ElementType::kS32);
  return ops::clamp(ops::scalar(0, ElementType::kS32), wide,
                    ops::scalar(static_cast<double>(count) - 1, ElementType::kS32));
}

void refuse_no_branches(const std::source_location& location) {
  or_throw(invalid_argument("switch (" + describe_location(location) +
                            "): Empty branch sequence; wanted a function or more"));
  __builtin_unreachable();
}

std::vector<Array> while_loop(const FlatFunction& condition, const FlatFunction& body, std::span<const Array> initial,
                              const std::source_location& location) {
  if (is_on(Setting::kDisableJit)) {
    if (std::optional<std::vector<Array>> done = plain_while_loop(condition, body, initial)) return *std::move(done);
  }
  std::vector<Array> carry(initial.begin(), initial.end());
  StagedFunction step = stage(body, avals_of(carry), "while_loop", "body");
  carry = promote_weak_carry(carry, step.results);
  if (avals_of(carry) != avals_of(initial)) step = stage(body, avals_of(carry), "while_loop", "body");
  const StagedFunction test = stage(condition, avals_of(carry), "while_loop", "condition");
  const UserLocation here(location);  // set after tracing, because code in the body has its own lines
  check_types("while_loop: the body's result", step.results, avals_of(carry));
  if (test.results.size() != 1 || test.results[0].shape != Shape::scalar(ElementType::kPred)) {
    or_throw(invalid_argument(at_user_line("while_loop") + ": cond_fun must return a boolean scalar, got " +
                              types_text(test.results)));
  }
  // Captured values are carries that the body passes on unchanged.
  const size_t count = carry.size();
  const std::vector<Array> captures = joined(test.captures, step.captures);
  std::vector<Aval> avals = avals_of(carry);
  for (const Aval& a : avals_of(captures)) avals.push_back(a);
  const auto own = [&](std::span<const Array> x, size_t begin, size_t captured) {
    std::vector<Array> arguments(x.begin(), x.begin() + count);
    for (size_t i = 0; i < captured; ++i) arguments.push_back(x[count + begin + i]);
    return arguments;
  };
  const auto full_body = stage(
      [&](std::span<const Array> x) {
        return joined(run_computation(*step.computation, own(x, test.captures.size(), step.captures.size())),
                      x.subspan(count));
      },
      avals, "while_loop", "body");
  const auto full_condition = stage(
      [&](std::span<const Array> x) { return run_computation(*test.computation, own(x, 0, test.captures.size())); },
      avals, "while_loop", "condition");
  auto attributes = std::make_shared<hlo::WhileAttributes>();
  attributes->body = over_packed(full_body.computation);
  attributes->condition = over_packed(full_condition.computation);
  std::vector<Array> out = bind({hlo::Opcode::kWhile, joined(carry, captures), std::move(attributes), std::nullopt});
  out.resize(count);
  return weak_as(std::move(out), step.results);
}

ScanResult scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs,
                std::optional<int64_t> length, bool reverse, const std::source_location& location) {
  const std::string where = "scan (" + describe_location(location) + ")";
  for (const Array& x : xs) {
    if (x.ndim() == 0)
      or_throw(invalid_argument(where + ": xs must have a leading axis; got " + x.aval_shape().to_string()));
    if (length && *length != x.shape(0)) {
      or_throw(invalid_argument(where + ": scan got values with different leading axis sizes: " +
                                std::to_string(*length) + ", " + std::to_string(x.shape(0))));
    }
    length = x.shape(0);
  }
  if (!length) or_throw(invalid_argument(where + ": got no values to scan over and no length"));
  if (is_on(Setting::kDisableJit)) return plain_scan(f, initial, xs, *length, reverse, location);
  std::vector<Array> carry(initial.begin(), initial.end());
  const auto trace_step = [&] {
    std::vector<Aval> avals = avals_of(carry);
    for (const Array& x : xs) avals.push_back({Shape::array(x.dtype(), x.shape().subspan(1)), x.weak_type()});
    return stage(f, avals, "scan", "step", CapturePlace::kFirst, /*always_tuple=*/true);
  };
  StagedFunction step = trace_step();
  carry = promote_weak_carry(carry, step.results);
  if (avals_of(carry) != avals_of(initial)) step = trace_step();
  const UserLocation here(location);  // set after tracing, because code in the step has its own lines
  check_types("scan: carry input and carry output must have equal types; the step's carry",
              std::span(step.results).first(std::min(carry.size(), step.results.size())), avals_of(carry));
  auto attributes = std::make_shared<hlo::ScanAttributes>();
  attributes->step = step.computation;
  attributes->length = *length;
  attributes->constant_count = std::ssize(step.captures);
  attributes->carry_count = std::ssize(carry);
  attributes->reverse = reverse;
  std::vector<Array> results =
      bind({hlo::kExtScan, joined(joined(step.captures, carry), xs), std::move(attributes), std::nullopt});
  results = weak_as(std::move(results), step.results);
  const auto middle = results.begin() + carry.size();
  return {{results.begin(), middle}, {middle, results.end()}};
}

namespace {

/// Returns rows [begin, limit) of the leading axis.
Array rows(const Array& x, int64_t begin, int64_t limit) { return ops::slice_along(x, 0, {begin, limit, 1}); }

/// Splits a leading axis of size n k into (n, k); the next function merges it.
Array in_blocks(const Array& x, int64_t k) {
  std::vector<int64_t> dims(x.shape().begin(), x.shape().end());
  dims[0] /= k;
  dims.insert(dims.begin() + 1, k);
  return ops::reshape(x, dims);
}
Array joined_blocks(const Array& x) {
  std::vector<int64_t> dims(x.shape().begin(), x.shape().end());
  dims[1] *= dims[0];
  dims.erase(dims.begin());
  return ops::reshape(x, dims);
}

/// Combines `k` steps of `f` into one on blocks of xs.
FlatFunction block_of_steps(const FlatFunction& f, size_t carry_count, int64_t k, bool reverse) {
  return [=](std::span<const Array> leaves) {
    std::vector<Array> carry(leaves.begin(), leaves.begin() + carry_count);
    std::vector<std::vector<Array>> ys(k);
    for (int64_t i = 0; i < k; ++i) {
      const int64_t at = reverse ? k - 1 - i : i;
      std::vector<Array> arguments = carry;
      for (const Array& block : leaves.subspan(carry_count)) arguments.push_back(row(block, at));
      const std::vector<Array> out = f(arguments);
      carry.assign(out.begin(), out.begin() + carry_count);
      ys[at].assign(out.begin() + carry_count, out.end());
    }
    for (size_t y = 0; !ys.empty() && y < ys[0].size(); ++y) {
      std::vector<Array> rows_of_y;
      for (const std::vector<Array>& step : ys) rows_of_y.push_back(step[y]);
      carry.push_back(stacked_rows(rows_of_y));
    }
    return carry;
  };
}

}  // namespace

ScanResult unrolled_scan(const FlatFunction& f, std::span<const Array> initial, std::span<const Array> xs,
                         std::optional<int64_t> length, bool reverse, int64_t unroll,
                         const std::source_location& location) {
  if (unroll < 1) {
    or_throw(invalid_argument("scan (" + describe_location(location) + "): `unroll` must be a positive number; got " +
                              std::to_string(unroll)));
  }
  const int64_t count = length ? *length : xs.empty() || xs[0].ndim() == 0 ? 0 : xs[0].shape(0);
  const int64_t whole = count / unroll * unroll;
  bool regular = unroll > 1 && whole > 0;
  for (const Array& x : xs) regular = regular && x.ndim() > 0 && x.shape(0) == count;
  if (!regular) return scan(f, initial, xs, length, reverse, location);  // reports the error
  // Steps that fill no block are executed last.
  const int64_t block_begin = reverse ? count - whole : 0;
  std::vector<Array> blocks, rest;
  {
    const UserLocation here(location);
    for (const Array& x : xs) {
      blocks.push_back(in_blocks(rows(x, block_begin, block_begin + whole), unroll));
      rest.push_back(reverse ? rows(x, 0, block_begin) : rows(x, whole, count));
    }
  }
  ScanResult out =
      scan(block_of_steps(f, initial.size(), unroll, reverse), initial, blocks, whole / unroll, reverse, location);
  const ScanResult last = whole == count ? ScanResult{} : scan(f, out.carry, rest, count - whole, reverse, location);
  const UserLocation here(location);
  for (size_t y = 0; y < out.ys.size(); ++y) {
    out.ys[y] = joined_blocks(out.ys[y]);
    if (whole == count) continue;
    const Array both[] = {reverse ? last.ys[y] : out.ys[y], reverse ? out.ys[y] : last.ys[y]};
    out.ys[y] = ops::concatenate(both, 0);
  }
  if (whole != count) out.carry = last.carry;
  return out;
}

}  // namespace hilo::lax::detail

namespace hilo::lax {

Array switch_(const Operand& index, const std::vector<std::function<Array(const Array&)>>& branches,
              const Operand& operand) {
  std::vector<FlatFunction> flat;
  for (const auto& branch : branches)
    flat.push_back([&branch](std::span<const Array> leaves) { return std::vector<Array>{branch(leaves[0])}; });
  const Array leaf = operand;
  return detail::conditional("switch", detail::switch_index(index, flat.size()), flat, std::span(&leaf, 1),
                             index.location())[0];
}

}  // namespace hilo::lax
