// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/control_flow.h"

#include <algorithm>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/lax/carry.h"
#include "hilo/lax/plain_control_flow.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/ref.h"
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

/// Returns the positions of a ref among captures. The condition and the body of a loop may both capture it.
std::vector<size_t> places_of_ref(std::span<const Array> captures, const Array& ref) {
  std::vector<size_t> places;
  for (size_t i = 0; i < captures.size(); ++i) {
    if (is_same_ref(captures[i], ref)) places.push_back(i);
  }
  return places;
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
  const FlatFunction checked = keeping_tree("scan", "the step's carry", f, carry, location);
  const std::vector<Array> initial = flatten_walked(carry.initial).leaves, leaves = flatten_walked(xs).leaves;
  const UserLocation here(location);
  RefArguments refs("scan", leaves);  // of each, the step gets a ref of one row
  const FlatFunction over_refs = [&](std::span<const Array> x) {
    std::vector<Array> out = checked(joined(x.first(initial.size()), refs.enter(x.subspan(initial.size()))));
    refs.append_final(out);
    return out;
  };
  ScanResult result =
      unrolled_scan(refs.any() ? over_refs : checked, initial, refs.values(), length, reverse, unroll, location);
  const size_t own = result.ys.size() - refs.appended().size();
  refs.write(std::span(result.ys).subspan(own));
  result.ys.resize(own);
  return result;
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

namespace {

/// The branches of a conditional as traced, and the refs that any of them writes.
struct Branches {
  std::vector<StagedFunction> staged;
  std::vector<RefArguments> refs;  ///< refs among the operands, for each branch
  std::vector<size_t> begins;      ///< first capture of each branch in `captures`
  std::vector<Array> captures;     ///< of all branches; the values of refs
  std::vector<size_t> operands_written;
  std::vector<Array> refs_written;  ///< captured ones; their values are the last of `captures`

  size_t own_result_count(size_t b) const { return staged[b].own_result_count() - refs[b].appended().size(); }
};

void add_written(Branches& all, size_t b) {
  for (const size_t leaf : all.refs[b].appended()) {
    if (std::ranges::find(all.operands_written, leaf) == all.operands_written.end())
      all.operands_written.push_back(leaf);
  }
  for (const Array& ref : all.staged[b].written) {
    const auto same = [&](const Array& other) { return is_same_ref(other, ref); };
    if (std::ranges::none_of(all.refs_written, same)) all.refs_written.push_back(ref);
  }
}

Branches trace_branches(std::string_view name, std::span<const FlatFunction> branches, std::span<const Array> operands,
                        bool predicated, const std::source_location& location) {
  Branches all;
  const RefArguments of_operands = [&] {
    const UserLocation here(location);
    return RefArguments(name, operands);
  }();
  const std::vector<Aval> avals = avals_of(operands);
  for (size_t b = 0; b < branches.size(); ++b) {
    const std::string branch = predicated ? (b == 0 ? "true_branch" : "false_branch") : "branch_" + std::to_string(b);
    RefArguments& refs = all.refs.emplace_back(of_operands);
    const FlatFunction f = [&](std::span<const Array> x) {
      std::vector<Array> results = branches[b](refs.enter(x));
      refs.append_final(results);
      return results;
    };
    const StagedFunction& staged = all.staged.emplace_back(stage_with_refs(f, avals, std::string(name), branch));
    const UserLocation here(location);
    refs.refuse_captured(staged.captures);
    all.begins.push_back(all.captures.size());
    all.captures = joined(all.captures, values_of_refs(staged.captures, name));
    add_written(all, b);
  }
  all.captures = joined(all.captures, values_of_refs(all.refs_written, name));
  return all;
}

/// Returns branch `b` on the operands and all captures, so that all branches take the same. Its results are followed by
/// the next values of all refs that any branch writes.
hlo::ComputationPtr over_all_captures(const Branches& all, size_t b, std::span<const Array> operands) {
  const StagedFunction& f = all.staged[b];
  const size_t count = operands.size(), refs_begin = count + all.captures.size() - all.refs_written.size();
  const FlatFunction narrow = [&](std::span<const Array> x) {
    std::vector<Array> own(x.begin(), x.begin() + count);
    for (size_t i = 0; i < f.captures.size(); ++i) own.push_back(x[count + all.begins[b] + i]);
    const std::vector<Array> results = run_computation(*f.computation, own);
    std::vector<Array> out(results.begin(), results.begin() + all.own_result_count(b));
    const size_t operand_finals = out.size(), ref_finals = f.own_result_count();
    for (const size_t leaf : all.operands_written) {
      const std::vector<size_t>& own_written = all.refs[b].appended();
      const auto at = std::ranges::find(own_written, leaf);
      out.push_back(at == own_written.end() ? x[leaf] : results[operand_finals + (at - own_written.begin())]);
    }
    for (size_t k = 0; k < all.refs_written.size(); ++k) {
      const auto same = [&](const Array& ref) { return is_same_ref(ref, all.refs_written[k]); };
      const auto at = std::ranges::find_if(f.written, same);
      out.push_back(at == f.written.end() ? x[refs_begin + k] : results[ref_finals + (at - f.written.begin())]);
    }
    return out;
  };
  std::vector<Aval> avals = avals_of(operands);
  for (const Aval& a : avals_of(all.captures)) avals.push_back(a);
  return stage(narrow, avals, "cond", f.computation->name()).computation;
}

}  // namespace

std::vector<Array> conditional(std::string_view name, const Array& index, std::span<const FlatFunction> branches,
                               std::span<const Array> leaves, const std::source_location& location) {
  const bool predicated = index.dtype() == ElementType::kPred;
  if (is_on(Setting::kDisableJit)) {
    if (const std::optional<int64_t> known = known_scalar(index))
      return branches[predicated ? 1 - *known : *known](leaves);
  }
  const Branches traced = trace_branches(name, branches, leaves, predicated, location);
  const std::vector<StagedFunction>& staged = traced.staged;
  const UserLocation here(location);  // set after tracing, because code in the branches has its own lines
  const auto own_results = [&](size_t b) { return std::span(staged[b].results).first(traced.own_result_count(b)); };
  for (size_t b = 1; b < staged.size(); ++b) {
    check_types(std::string(name) + " branches must have equal output types but they differ; " +
                    (predicated ? "the false branch's result" : "the result of branch " + std::to_string(b)),
                own_results(b), own_results(0));
  }
  const std::vector<Array> operands = values_of_refs(leaves, name);
  auto attributes = std::make_shared<hlo::ConditionalAttributes>();
  attributes->predicated = predicated;
  std::vector<Array> all = joined(operands, traced.captures);
  const bool no_operands = all.empty();
  if (no_operands) all.push_back(ops::scalar(0, ElementType::kPred));  // branches need an operand
  for (size_t b = 0; b < staged.size(); ++b) {
    const StagedFunction& f = staged[b];
    attributes->branches.push_back(
        no_operands ? stage([&](std::span<const Array>) { return run_computation(*f.computation, {}); }, avals_of(all),
                            std::string(name), "branch")
                          .computation
                    : over_packed(over_all_captures(traced, b, operands)));
  }
  all.insert(all.begin(), index);
  std::vector<Array> results = bind({hlo::Opcode::kConditional, std::move(all), std::move(attributes), std::nullopt});
  write_refs(traced.refs_written, results, name);
  const size_t own = traced.own_result_count(0);
  traced.refs[0].write(traced.operands_written, std::span(results).subspan(own));
  results.resize(own);
  // If only one branch returns a weak type, the first branch decides, as in JAX; cond's first is the false one.
  return weak_as(std::move(results), own_results(predicated ? 1 : 0));
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
  refuse_refs("while_loop", "the carry", initial, "capture the ref instead");
  std::vector<Array> carry(initial.begin(), initial.end());
  const auto trace_body = [&] { return stage_with_refs(body, avals_of(carry), "while_loop", "body"); };
  StagedFunction step = trace_body();
  carry = promote_weak_carry(carry, std::span(step.results).first(step.own_result_count()));
  if (avals_of(carry) != avals_of(initial)) step = trace_body();
  const StagedFunction test = stage_with_refs(condition, avals_of(carry), "while_loop", "condition");
  const UserLocation here(location);  // set after tracing, because code in the body has its own lines
  check_types("while_loop: the body's result", std::span(step.results).first(step.own_result_count()), avals_of(carry));
  refuse_refs("while_loop", "what the condition writes", test.written, "write to the ref in the body");
  if (test.results.size() != 1 || test.results[0].shape != Shape::scalar(ElementType::kPred)) {
    or_throw(invalid_argument(at_user_line("while_loop") + ": cond_fun must return a boolean scalar, got " +
                              types_text(test.results)));
  }
  // Captured values are carries. The body passes them on unchanged, except refs that it writes.
  const size_t count = carry.size();
  const std::vector<Array> captures = joined(test.captures, step.captures);
  const std::vector<Array> values = values_of_refs(captures, "while_loop");
  std::vector<Aval> avals = avals_of(carry);
  for (const Aval& a : avals_of(values)) avals.push_back(a);
  const auto own = [&](std::span<const Array> x, size_t begin, size_t captured) {
    std::vector<Array> arguments(x.begin(), x.begin() + count);
    for (size_t i = 0; i < captured; ++i) arguments.push_back(x[count + begin + i]);
    return arguments;
  };
  const auto full_body = stage(
      [&](std::span<const Array> x) {
        const std::vector<Array> results =
            run_computation(*step.computation, own(x, test.captures.size(), step.captures.size()));
        std::vector<Array> next = joined(std::span(results).first(count), x.subspan(count));
        for (size_t k = 0; k < step.written.size(); ++k) {
          for (const size_t i : places_of_ref(captures, step.written[k])) next[count + i] = results[count + k];
        }
        return next;
      },
      avals, "while_loop", "body");
  const auto full_condition = stage(
      [&](std::span<const Array> x) { return run_computation(*test.computation, own(x, 0, test.captures.size())); },
      avals, "while_loop", "condition");
  auto attributes = std::make_shared<hlo::WhileAttributes>();
  attributes->body = over_packed(full_body.computation);
  attributes->condition = over_packed(full_condition.computation);
  std::vector<Array> out = bind({hlo::Opcode::kWhile, joined(carry, values), std::move(attributes), std::nullopt});
  for (const Array& ref : step.written) write_ref(ref, out[count + places_of_ref(captures, ref).front()], "while_loop");
  out.resize(count);
  return weak_as(std::move(out), step.results);
}

namespace {

/// Returns the step of a scan with the refs that it writes as carries, after its own: (other captures, carry, refs, xs)
/// -> (carry, refs, ys). `captures` are replaced by the other ones.
StagedFunction with_refs_as_carries(const StagedFunction& step, size_t carry_count, std::span<const Aval> arguments) {
  std::vector<size_t> others;
  StagedFunction out;
  for (size_t i = 0; i < step.captures.size(); ++i) {
    const auto same = [&](const Array& ref) { return is_same_ref(ref, step.captures[i]); };
    if (std::ranges::any_of(step.written, same)) continue;
    others.push_back(i);
    out.captures.push_back(step.captures[i]);
  }
  const size_t refs = step.written.size(), carry_end = others.size() + carry_count;
  std::vector<Aval> avals = avals_of(out.captures);
  for (const Aval& a : arguments.first(carry_count)) avals.push_back(a);
  for (const Aval& a : avals_of(step.written)) avals.push_back(a);
  for (const Aval& a : arguments.subspan(carry_count)) avals.push_back(a);
  const FlatFunction f = [&](std::span<const Array> x) {
    std::vector<Array> own(step.captures.size());
    for (size_t i = 0; i < others.size(); ++i) own[others[i]] = x[i];
    for (size_t k = 0; k < refs; ++k) own[places_of_ref(step.captures, step.written[k]).front()] = x[carry_end + k];
    for (const Array& a : x.subspan(others.size(), carry_count)) own.push_back(a);
    for (const Array& a : x.subspan(carry_end + refs)) own.push_back(a);
    std::vector<Array> results = run_computation(*step.computation, own);
    std::rotate(results.begin() + carry_count, results.end() - refs, results.end());
    return results;
  };
  out.computation = stage(f, avals, "scan", "step", CapturePlace::kFirst, /*always_tuple=*/true).computation;
  return out;
}

}  // namespace

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
  {
    const UserLocation here(location);
    refuse_refs("scan", "the carry", initial, "capture the ref instead");
  }
  if (is_on(Setting::kDisableJit)) return plain_scan(f, initial, xs, *length, reverse, location);
  std::vector<Array> carry(initial.begin(), initial.end());
  std::vector<Aval> avals;
  const auto trace_step = [&] {
    avals = avals_of(carry);
    for (const Array& x : xs) avals.push_back({Shape::array(x.dtype(), x.shape().subspan(1)), x.weak_type()});
    return stage_with_refs(f, avals, "scan", "step", CapturePlace::kFirst, /*always_tuple=*/true);
  };
  StagedFunction step = trace_step();
  carry = promote_weak_carry(carry, std::span(step.results).first(step.own_result_count()));
  if (avals_of(carry) != avals_of(initial)) step = trace_step();
  const UserLocation here(location);  // set after tracing, because code in the step has its own lines
  check_types("scan: carry input and carry output must have equal types; the step's carry",
              std::span(step.results).first(std::min(carry.size(), step.results.size())), avals_of(carry));
  const size_t count = carry.size();
  const std::vector<Array> written = step.written;
  const std::vector<Aval> own_results(step.results.begin(), step.results.end() - std::ssize(written));
  if (!written.empty()) step = with_refs_as_carries(step, count, avals);
  const std::vector<Array> captures = values_of_refs(step.captures, "scan");
  for (const Array& value : values_of_refs(written, "scan")) carry.push_back(value);
  auto attributes = std::make_shared<hlo::ScanAttributes>();
  attributes->step = step.computation;
  attributes->length = *length;
  attributes->constant_count = std::ssize(captures);
  attributes->carry_count = std::ssize(carry);
  attributes->reverse = reverse;
  std::vector<Array> results =
      bind({hlo::kExtScan, joined(joined(captures, carry), xs), std::move(attributes), std::nullopt});
  std::rotate(results.begin() + count, results.begin() + carry.size(), results.end());
  write_refs(written, results, "scan");
  results = weak_as(std::move(results), own_results);
  const auto middle = results.begin() + count;
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
