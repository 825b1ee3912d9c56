// SPDX-License-Identifier: Apache-2.0
// rules/scan.cc -- rules of scan: transform the step, then scan the result. Operands and results of a step are always
// in the order constants, carries, slices.
#include <algorithm>
#include <map>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/ext/scan.h"
#include "hilo/lax/carry.h"
#include "hilo/rules/extension_rules.h"
#include "hilo/rules/recompute.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/part_of.h"
#include "hilo/transform/transpose.h"

namespace hilo::rules {

using namespace lax;
namespace {

using hlo::ComputationPtr;
using Arrays = std::vector<Array>;

/// The three groups of a scan's operands or of a step's parameters.
template <typename T>
struct Groups {
  std::vector<T> constants, carries, slices;

  std::vector<T> joined() const {
    std::vector<T> all = constants;
    all.insert(all.end(), carries.begin(), carries.end());
    all.insert(all.end(), slices.begin(), slices.end());
    return all;
  }
};

template <typename T>
Groups<T> split(std::span<const T> all, size_t constants, size_t carries) {
  return {{all.begin(), all.begin() + static_cast<int64_t>(constants)},
          {all.begin() + constants, all.begin() + static_cast<int64_t>(constants + carries)},
          {all.begin() + constants + carries, all.end()}};
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Aval slice_aval(const Array& stacked) { return {Shape::array(stacked.dtype(), stacked.shape().subspan(1)), false}; }

/// Binds a scan whose step is `f`: (constants, carries, one slice of each stacked operand) -> (carries, slices).
Arrays bind_scan(const Operation& like, const Groups<Array>& operands, const FlatFunction& f, std::string_view suffix,
                 bool flip_direction = false) {
  std::vector<Aval> avals;
  for (const Array& a : operands.constants) avals.push_back({a.aval_shape(), false});
  for (const Array& a : operands.carries) avals.push_back({a.aval_shape(), false});
  for (const Array& a : operands.slices) avals.push_back(slice_aval(a));
  auto scan = std::make_shared<hlo::ScanAttributes>(attributes_of<hlo::ScanAttributes>(like));
  const StagedFunction staged = stage(f, avals, std::string(suffix),
                                      attributes_of<hlo::ScanAttributes>(like).step->name() + "." + std::string(suffix),
                                      CapturePlace::kFirst, true);
  scan->step = staged.computation;
  scan->constant_count = staged.captures.size() + operands.constants.size();
  scan->carry_count = std::ssize(operands.carries);
  scan->reverse = scan->reverse != flip_direction;
  Arrays all = staged.captures;
  append(all, operands.joined());
  return bind({hlo::kExtScan, std::move(all), std::move(scan), std::nullopt});
}

/// A scan operation by its parts.
struct Scan {
  explicit Scan(const Operation& operation)
      : constants(static_cast<size_t>(attributes_of<hlo::ScanAttributes>(operation).constant_count)),
        carries(static_cast<size_t>(attributes_of<hlo::ScanAttributes>(operation).carry_count)),
        length(attributes_of<hlo::ScanAttributes>(operation).length),
        step(attributes_of<hlo::ScanAttributes>(operation).step),
        result_count(step->result_shape().leaves().size()) {}
  size_t constants, carries;
  int64_t length;
  const ComputationPtr& step;
  size_t result_count;  ///< carries and slices

  StepLoop loop() const { return {constants, carries, length}; }
  Mask carry_mask(const Mask& all) const {
    return {all.begin() + constants, all.begin() + static_cast<int64_t>(constants + carries)};
  }
  Mask with_carry(Mask all, const Mask& carry) const {
    std::copy(carry.begin(), carry.end(), all.begin() + constants);
    return all;
  }
};

Groups<Array> operand_groups(const Operation& operation, const Scan& scan) {
  return split(std::span<const Array>(operation.operands), scan.constants, scan.carries);
}

/// Returns the tangents of the relevant operands; carries are materialised where the fixpoint requires it.
Groups<Tangent> tangent_groups(const Operation& operation, const Scan& scan, std::span<const Tangent> tangents,
                               const Mask& nonzero) {
  std::vector<Tangent> expected(tangents.begin(), tangents.end());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (nonzero[i] && expected[i].is_zero()) expected[i] = zeros_like_aval({operation.operands[i].aval_shape(), false});
  }
  return split(std::span<const Tangent>(expected), scan.constants, scan.carries);
}

Arrays values(const std::vector<Tangent>& tangents) {
  Arrays out;
  append_nonzero(out, tangents);
  return out;
}

// ---- jvp ------------------------------------------------------------------------------------------------------------

JvpResult scan_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  const Scan scan(operation);
  Mask nonzero = nonzero_mask(tangents);
  const Mask carry = fix_carry(scan.carry_mask(nonzero), [&](const Mask& carry_nonzero) {
    return jvp_computation(scan.step, scan.with_carry(nonzero, carry_nonzero), carry_nonzero).nonzero_results;
  });
  nonzero = scan.with_carry(nonzero, carry);
  const JvpComputation jvp = jvp_computation(scan.step, nonzero, carry);
  const Groups<Array> primals = operand_groups(operation, scan);
  const Groups<Tangent> directions = tangent_groups(operation, scan, tangents, nonzero);
  Groups<Array> operands = primals;
  append(operands.constants, values(directions.constants));
  append(operands.carries, values(directions.carries));
  append(operands.slices, values(directions.slices));

  const size_t primal_carries = scan.carries;
  const size_t tangent_carries = operands.carries.size() - primal_carries;
  const FlatFunction step = [&](std::span<const Array> x) {
    // (c, c', k, k', x, x') -> (c, k, x, c', k', x')
    const Groups<Array> all = split(x, operands.constants.size(), operands.carries.size());
    Arrays first, second;
    const auto deal = [&](const Arrays& group, size_t primal_count) {
      first.insert(first.end(), group.begin(), group.begin() + primal_count);
      second.insert(second.end(), group.begin() + primal_count, group.end());
    };
    deal(all.constants, primals.constants.size());
    deal(all.carries, primals.carries.size());
    deal(all.slices, primals.slices.size());
    append(first, second);
    const Arrays out = run_computation(*jvp.computation, first);
    // (k, y, k', y') -> (k, k', y, y')
    Arrays ordered(out.begin(), out.begin() + primal_carries);
    const auto tangent_begin = out.begin() + scan.result_count;
    ordered.insert(ordered.end(), tangent_begin, tangent_begin + static_cast<int64_t>(tangent_carries));
    ordered.insert(ordered.end(), out.begin() + primal_carries, tangent_begin);
    ordered.insert(ordered.end(), tangent_begin + static_cast<int64_t>(tangent_carries), out.end());
    return ordered;
  };
  const Arrays out = bind_scan(operation, operands, step, "jvp");
  // (k, k', y, y') -> (k, y, k', y')
  const size_t slice_count = scan.result_count - primal_carries;
  Arrays ordered(out.begin(), out.begin() + primal_carries);
  const auto y = out.begin() + primal_carries + tangent_carries;
  ordered.insert(ordered.end(), y, y + static_cast<int64_t>(slice_count));
  ordered.insert(ordered.end(), out.begin() + primal_carries, y);
  ordered.insert(ordered.end(), y + static_cast<int64_t>(slice_count), out.end());
  return split_primals(std::move(ordered), jvp.nonzero_results);
}

// ---- linearize ------------------------------------------------------------------------------------------------------

/// The operands of the unknown part that the known part computes.
struct Residuals {
  Arrays values;
  Mask constant;  ///< for each: whether it is the same in all steps; otherwise it is stacked
};

/// The location of a residual: computed before the loop, a stacked operand, a stacked result, or a new result. `index`
/// counts within that group.
struct Residual {
  enum Where : uint8_t { kBefore, kSlices, kResult, kNew } where;
  size_t index;
};

/// The known part of a scan: (constants, carries, slices) -> (carries, stacked results), residuals.
struct KnownScan {
  KnownScan(const ComputationPtr& step, size_t residual_count, const Groups<Array>& operands)
      : step(*step), operands(operands), result_count(step->root().operands.size() - residual_count) {
    find_residuals();
  }

  const hlo::Computation& step;
  const Groups<Array>& operands;
  size_t result_count;
  std::vector<Residual> sources;
  std::vector<hlo::InstructionId> before;  ///< values of the step that depend only on constants
  size_t new_count = 0;

 private:
  std::optional<size_t> slice_operand(hlo::InstructionId id) const {
    const size_t begin = operands.constants.size() + operands.carries.size();
    for (size_t i = begin; i < step.parameters().size(); ++i) {
      if (step.parameters()[i] == id) return i;
    }
    return std::nullopt;
  }

  Residual find(hlo::InstructionId id, const std::vector<bool>& is_constant) {
    if (is_constant[id]) {
      before.push_back(id);
      return {Residual::kBefore, before.size() - 1};
    }
    if (const std::optional<size_t> operand = slice_operand(id)) return {Residual::kSlices, *operand};
    return {Residual::kNew, new_count++};
  }

  void find_residuals() {
    const std::span<const hlo::InstructionId> root = step.root().operands;
    const std::vector<bool> is_constant = follows_from(step, step.parameters().first(operands.constants.size()));
    std::map<hlo::InstructionId, Residual> seen;
    for (size_t y = operands.carries.size(); y < result_count; ++y) {
      if (!is_constant[root[y]]) seen.try_emplace(root[y], Residual{Residual::kResult, y});
    }
    for (size_t i = result_count; i < root.size(); ++i) {
      auto place = seen.find(root[i]);
      if (place == seen.end()) place = seen.emplace(root[i], find(root[i], is_constant)).first;
      sources.push_back(place->second);
    }
  }
};

/// Runs the known part. Residuals that aren't available otherwise are stacked as additional results; `results` receives
/// the scan's own.
Residuals run_known(const Operation& like, const ComputationPtr& step, size_t residual_count,
                    const Groups<Array>& operands, Arrays& results) {
  const KnownScan known(step, residual_count, operands);
  const FlatFunction f = [&](std::span<const Array> x) {
    const Arrays all = run_computation(*step, x);
    Arrays retained(all.begin(), all.begin() + known.result_count);
    for (size_t i = 0, next = 0; i < known.sources.size(); ++i) {
      if (known.sources[i].where != Residual::kNew || known.sources[i].index != next) continue;
      retained.push_back(all[known.result_count + i]);
      ++next;
    }
    return retained;
  };
  if (known.result_count + known.new_count > 0 || step->has_effect()) results = bind_scan(like, operands, f, "primal");
  const auto constants = step->parameters().first(operands.constants.size());
  const Arrays before =
      run_computation(*part_of(*step, constants, known.before, step->name() + ".before"), operands.constants);
  const Arrays all = operands.joined();
  Residuals residuals;
  for (const Residual& source : known.sources) {
    residuals.constant.push_back(source.where == Residual::kBefore);
    switch (source.where) {
      case Residual::kBefore: residuals.values.push_back(before[source.index]); break;
      case Residual::kSlices: residuals.values.push_back(all[source.index]); break;
      case Residual::kResult: residuals.values.push_back(results[source.index]); break;
      case Residual::kNew: residuals.values.push_back(results[known.result_count + source.index]); break;
    }
  }
  results.resize(known.result_count);
  return residuals;
}

/// Binds the scan of the unknown part: its step takes the slices of `operands`, then the residuals.
Arrays bind_unknown(const Operation& like, const ComputationPtr& step, const Groups<Array>& operands,
                    const Residuals& residuals, std::string_view suffix) {
  Groups<Array> all = operands;
  for (size_t i = 0; i < residuals.values.size(); ++i)
    (residuals.constant[i] ? all.constants : all.slices).push_back(residuals.values[i]);
  const FlatFunction f = [&](std::span<const Array> x) {
    Groups<Array> in = split(x, all.constants.size(), all.carries.size());
    size_t constant = operands.constants.size(), slice = operands.slices.size();
    Arrays of_step;
    for (bool is_constant : residuals.constant)
      of_step.push_back(is_constant ? in.constants[constant++] : in.slices[slice++]);
    in.constants.resize(operands.constants.size());
    in.slices.resize(operands.slices.size());
    Arrays arguments = in.joined();
    append(arguments, of_step);
    return run_computation(*step, arguments);
  };
  return bind_scan(like, all, f, suffix);
}

LinearizeResult scan_linearize(const Operation& operation, std::span<const bool> nonzero_operands) {
  const Scan scan(operation);
  Mask nonzero(nonzero_operands.begin(), nonzero_operands.end());
  const Mask carry = fix_carry(scan.carry_mask(nonzero), [&](const Mask& carry_nonzero) {
    return linearize_computation(scan.step, scan.with_carry(nonzero, carry_nonzero), carry_nonzero).unknown_results;
  });
  nonzero = scan.with_carry(nonzero, carry);
  const SplitComputation linear = recompute_cheap(linearize_computation(scan.step, nonzero, carry), scan.loop());
  Arrays primals;
  const Residuals residuals =
      run_known(operation, linear.known, linear.residual_count, operand_groups(operation, scan), primals);
  return {std::move(primals), [=](std::span<const Tangent> tangents) {
            const Groups<Tangent> directions = tangent_groups(operation, Scan(operation), tangents, nonzero);
            const Groups<Array> operands{values(directions.constants), values(directions.carries),
                                         values(directions.slices)};
            return spread_tangents(bind_unknown(operation, linear.unknown, operands, residuals, "tangent"),
                                   linear.unknown_results);
          }};
}

std::optional<SplitResult> scan_split(const Operation& operation, const Mask& unknown_operands) {
  const Scan scan(operation);
  const Mask carry = fix_carry(scan.carry_mask(unknown_operands), [&](const Mask& unknown) {
    return split_computation(scan.step, scan.with_carry(unknown_operands, unknown), unknown).unknown_results;
  });
  const Mask unknown = scan.with_carry(unknown_operands, carry);
  Groups<Array> known, rest;
  const auto deal = [&](size_t begin, size_t end, Arrays& to_known, Arrays& to_rest) {
    for (size_t i = begin; i < end; ++i) (unknown[i] ? to_rest : to_known).push_back(operation.operands[i]);
  };
  deal(0, scan.constants, known.constants, rest.constants);
  deal(scan.constants, scan.constants + scan.carries, known.carries, rest.carries);
  deal(scan.constants + scan.carries, unknown.size(), known.slices, rest.slices);
  const SplitComputation parts = recompute_cheap(split_computation(scan.step, unknown, carry),
                                                 {known.constants.size(), known.carries.size(), scan.length});
  Arrays results;
  const Residuals residuals = run_known(operation, parts.known, parts.residual_count, known, results);
  return SplitResult{spread_known(std::move(results), parts.unknown_results),
                     [=, step = parts.unknown] { return bind_unknown(operation, step, rest, residuals, "unknown"); }};
}

// ---- transpose ------------------------------------------------------------------------------------------------------

/// The transposed scan runs in reverse. Its carries are the cotangents of the carries and the running sums of the
/// constants' cotangents. It reads non-linear slices and cotangents of stacked results, and stacks cotangents of
/// slices.
void scan_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const Scan scan(operation);
  Mask linear;
  for (const Array& a : operation.operands) linear.push_back(is_linear_operand(a));
  // A carry with a known initial value starts from zero, and is linear from the first step on.
  linear = scan.with_carry(linear, Mask(scan.carries, true));
  const std::vector<Shape> results = [&] {
    std::vector<Shape> shapes;
    for (const Aval& a : result_avals(operation)) shapes.push_back(a.shape);
    return shapes;
  }();
  Groups<Array> operands;
  std::vector<size_t> summed;  // linear constants
  for (size_t i = 0; i < scan.constants; ++i) {
    if (linear[i]) summed.push_back(i);
    else operands.constants.push_back(operation.operands[i]);
  }
  for (size_t i = 0; i < scan.carries; ++i) operands.carries.push_back(materialize(cts[i], {results[i], false}));
  for (size_t i : summed) operands.carries.push_back(zeros_like_aval({operation.operands[i].aval_shape(), false}));
  const size_t slices_begin = scan.constants + scan.carries;
  for (size_t i = slices_begin; i < operation.operands.size(); ++i) {
    if (!linear[i]) operands.slices.push_back(operation.operands[i]);
  }
  const size_t known_slices = operands.slices.size();
  for (size_t i = scan.carries; i < scan.result_count; ++i)
    operands.slices.push_back(materialize(cts[i], {results[i], false}));

  const FlatFunction step = [&](std::span<const Array> x) {
    const Groups<Array> in = split(x, operands.constants.size(), operands.carries.size());
    std::vector<std::optional<Array>> arguments(operation.operands.size());
    size_t constant = 0, slice = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (linear[i]) continue;
      arguments[i] = i < scan.constants ? in.constants[constant++] : in.slices[slice++];
    }
    std::vector<Tangent> cotangents(in.carries.begin(), in.carries.begin() + scan.carries);
    cotangents.insert(cotangents.end(), in.slices.begin() + known_slices, in.slices.end());
    // Indexed reads update sums in place. Numbers are added at the end, so that one loop can compute all of a step.
    std::vector<Tangent> sums(in.carries.begin() + scan.carries, in.carries.end()), numbers(sums.size());
    for (size_t i = 0; i < sums.size(); ++i) {
      if (in.carries[scan.carries + i].ndim() == 0) std::swap(sums[i], numbers[i]);
    }
    std::vector<Tangent> pulled = backward_pass(*scan.step, arguments, cotangents, sums);
    for (size_t i = 0; i < numbers.size(); ++i) pulled[i] = add_tangents(numbers[i], pulled[i]);
    // pulled: summed constants, carries, linear slices -> carries, summed constants, linear slices
    Arrays next;
    std::vector<Shape> leaves = parameter_leaves(*scan.step);
    std::vector<Shape> linear_shapes;
    for (size_t i = 0; i < linear.size(); ++i) {
      if (linear[i]) linear_shapes.push_back(leaves[i]);
    }
    const auto take = [&](size_t i) { next.push_back(materialize(pulled[i], {linear_shapes[i], false})); };
    for (size_t i = 0; i < scan.carries; ++i) take(summed.size() + i);
    for (size_t i = 0; i < summed.size(); ++i) take(i);
    for (size_t i = summed.size() + scan.carries; i < pulled.size(); ++i) take(i);
    return next;
  };
  const Arrays pulled = bind_scan(operation, operands, step, "transpose", /*flip_direction=*/true);
  size_t next = 0;
  for (size_t i = 0; i < scan.carries; ++i) out.add(scan.constants + i, pulled[next++]);
  for (size_t i : summed) out.add(i, pulled[next++]);
  for (size_t i = slices_begin; i < operation.operands.size(); ++i) {
    if (linear[i]) out.add(i, pulled[next++]);
  }
}

// ---- batch ----------------------------------------------------------------------------------------------------------

/// Constants and carries have the batch axis in front; stacked operands have it after the scanned axis, so that each
/// slice has it in front.
BatchResult scan_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext& context) {
  const Scan scan(operation);
  Mask batched = batched_mask(dims);
  const Mask carry = fix_carry(scan.carry_mask(batched), [&](const Mask& carry_batched) {
    return batch_computation(scan.step, scan.with_carry(batched, carry_batched), carry_batched, context)
        .batched_results;
  });
  batched = scan.with_carry(batched, carry);
  const BatchedComputation step = batch_computation(scan.step, batched, carry, context);
  Arrays operands;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool stacked = i >= scan.constants + scan.carries;
    operands.push_back(batched[i] ? batch_axis_at(operation.operands[i], dims[i], stacked ? 1 : 0, context.axis_size)
                                  : operation.operands[i]);
  }
  Arrays results = bind_scan(
      operation, split(std::span<const Array>(operands), scan.constants, scan.carries),
      [&](std::span<const Array> x) { return run_computation(*step.computation, x); }, "vmap");
  BatchResult out{std::move(results), {}};
  for (size_t i = 0; i < out.results.size(); ++i) {
    out.dims.push_back(step.batched_results[i] ? BatchDim(i < scan.carries ? 0 : 1) : std::nullopt);
  }
  return out;
}

}  // namespace

const Rules scan_rules = {scan_jvp, scan_transpose, scan_batch, scan_linearize, scan_split};

}  // namespace hilo::rules
