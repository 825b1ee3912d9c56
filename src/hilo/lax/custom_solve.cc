// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/custom_solve.h"

#include "hilo/hlo/ir/extensions.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/custom_jvp.h"
#include "hilo/transform/custom_rules.h"
#include "hilo/transform/linearize.h"
#include "hilo/transform/transpose.h"

namespace hilo::lax::detail {
namespace {

using hlo::ComputationPtr;
using Arrays = std::vector<Array>;

constexpr char kLinear[] = "custom_linear_solve";

Arrays joined_arrays(std::span<const Array> a, std::span<const Array> b) {
  Arrays all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

/// Staged functions of the same arguments. Each takes the captures of all of them: constants come first.
class SharedConstants {
 public:
  explicit SharedConstants(std::span<const Array> arguments) : arguments_(avals_of(arguments)) {}

  /// Adds a function of the arguments, or of `lists` such argument lists in sequence.
  void add(const FlatFunction& f, std::string_view name, size_t lists = 1) {
    std::vector<Aval> avals;
    for (; lists > 0; --lists) avals.insert(avals.end(), arguments_.begin(), arguments_.end());
    staged_.push_back(stage(f, avals, std::string(name), std::string(name), CapturePlace::kFirst, true));
    argument_counts_.push_back(avals.size());
    begins_.push_back(constants.size());
    constants = joined_arrays(constants, staged_.back().captures);
  }

  /// Returns function `i` as a computation of (constants, arguments). Call it after all have been added.
  ComputationPtr computation(size_t i) const {
    std::vector<Aval> avals = avals_of(constants);
    for (size_t k = 0; k < argument_counts_[i]; ++k) avals.push_back(arguments_[k % arguments_.size()]);
    const FlatFunction narrow = [&](std::span<const Array> x) {
      const auto own = x.subspan(begins_[i], staged_[i].captures.size());
      return run_computation(*staged_[i].computation, joined_arrays(own, x.subspan(constants.size())));
    };
    return stage(narrow, avals, "solve", staged_[i].computation->name(), CapturePlace::kNone, true).computation;
  }
  const std::vector<Aval>& results(size_t i) const { return staged_[i].results; }

  Arrays constants;

 private:
  std::vector<Aval> arguments_;
  std::vector<StagedFunction> staged_;
  std::vector<size_t> begins_, argument_counts_;
};

void check_results(std::string_view name, std::span<const Aval> got, std::span<const Array> expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i].shape == expected[i].aval_shape()) continue;
    or_throw(invalid_argument(at_user_line(name) + ": the function and the solver must return what they take; leaf " +
                              std::to_string(i) + " is " + got[i].shape.to_string() + ", wanted " +
                              expected[i].aval_shape().to_string()));
  }
}

// ---- linear ---------------------------------------------------------------------------------------------------------

/// Computations of (constants, v). The solving ones may return aux after the leaves of v.
struct Solver {
  ComputationPtr matvec, solve, transpose_solve;  ///< transpose_solve may be null
  size_t constant_count = 0;
  bool symmetric = false;

  size_t unknowns() const { return parameter_leaves(*matvec).size() - constant_count; }
};

std::shared_ptr<const CustomRules> rules_of_solver(const Solver& solver);

/// Returns a number; equal solvers have equal numbers.
int64_t id_of(const Solver& solver) {
  std::vector<int64_t> parts;
  for (const ComputationPtr& c : {solver.matvec, solver.solve, solver.transpose_solve})
    parts.push_back(c == nullptr ? 0 : static_cast<int64_t>(c->fingerprint().low));
  return derived_custom_rules_id(solver.symmetric ? 1 : 0, parts);
}

Arrays bind_solver(const Solver& solver, Arrays operands) {
  auto attributes = std::make_shared<hlo::CustomRulesAttributes>();
  attributes->to_apply = solver.solve;
  attributes->rules = kLinear;
  attributes->id = id_of(solver);
  attributes->user = rules_of_solver(solver);
  return bind({hlo::kExtCustomRules, std::move(operands), std::move(attributes), std::nullopt});
}

JvpResult solver_jvp(const Solver& solver, const Operation& operation, std::span<const Tangent> tangents) {
  const auto constants = std::span(operation.operands).first(solver.constant_count);
  const Arrays all = bind_solver(solver, operation.operands);
  const Arrays x(all.begin(), all.begin() + solver.unknowns());
  std::vector<Tangent> rhs(tangents.begin() + solver.constant_count, tangents.end());
  std::vector<Tangent> directions(tangents.begin(), tangents.begin() + solver.constant_count);
  directions.resize(tangents.size());
  const JvpResult moved = jvp_flat([&](std::span<const Array> v) { return run_computation(*solver.matvec, v); },
                                   joined_arrays(constants, x), directions);  // A' x
  bool any = false;
  for (size_t i = 0; i < rhs.size(); ++i) {
    if (!moved.tangents[i].is_zero()) rhs[i] = add_tangents(rhs[i], ops::neg(moved.tangents[i].value()));
    any |= !rhs[i].is_zero();
  }
  JvpResult result{all, std::vector<Tangent>(all.size())};
  if (!any) return result;
  Arrays operands(constants.begin(), constants.end());
  for (size_t i = 0; i < rhs.size(); ++i) operands.push_back(materialize(rhs[i], {x[i].aval_shape(), false}));
  const Arrays moving = bind_solver(solver, std::move(operands));
  std::copy(moving.begin(), moving.begin() + x.size(), result.tangents.begin());
  return result;
}

/// Returns the solver of the transposed system.
Solver transposed(const Solver& solver) {
  if (solver.symmetric) return solver;
  if (solver.transpose_solve == nullptr) {
    or_throw(invalid_argument(at_user_line(kLinear) +
                              ": transpose_solve required for backwards mode automatic differentiation of "
                              "custom_linear_solve. Hint: give it behind solve, or say {.symmetric = true}"));
  }
  std::vector<bool> linear(parameter_leaves(*solver.matvec).size(), true);
  std::fill_n(linear.begin(), solver.constant_count, false);
  const std::vector<bool> nonzero(solver.matvec->result_shape().leaves().size(), true);
  return {transpose_computation(solver.matvec, linear, nonzero), solver.transpose_solve, solver.solve,
          solver.constant_count, false};
}

void solver_transpose(const Solver& solver, const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  Arrays operands;
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const bool is_constant = i < solver.constant_count;
    operands.push_back(is_constant
                           ? operation.operands[i]
                           : materialize(cts[i - solver.constant_count], {operation.operands[i].aval_shape(), false}));
  }
  const Arrays pulled = bind_solver(transposed(solver), std::move(operands));
  for (size_t i = 0; i < solver.unknowns(); ++i) out.add(solver.constant_count + i, pulled[i]);
}

/// Batches a solve: all leaves of b and x get the batch axis, constants only if they have it.
BatchResult solver_batch(const Solver& solver, const Operation& operation, std::span<const BatchDim> dims,
                         const BatchContext& context) {
  std::vector<bool> batched;
  Arrays operands;
  for (size_t i = 0; i < dims.size(); ++i) {
    batched.push_back(dims[i].has_value() || i >= solver.constant_count);
    operands.push_back(batched[i] ? batch_axis_at(operation.operands[i], dims[i], 0, context.axis_size)
                                  : operation.operands[i]);
  }
  const auto over_batch = [&](const ComputationPtr& c) {
    if (c == nullptr) return c;
    const std::vector<bool> force(c->result_shape().leaves().size(), true);
    return batch_computation(c, batched, force, context).computation;
  };
  Arrays results = bind_solver({over_batch(solver.matvec), over_batch(solver.solve), over_batch(solver.transpose_solve),
                                solver.constant_count, solver.symmetric},
                               std::move(operands));
  const size_t count = results.size();
  return {std::move(results), std::vector<BatchDim>(count, 0)};
}

std::shared_ptr<const CustomRules> rules_of_solver(const Solver& solver) {
  auto rules = std::make_shared<CustomRules>();
  rules->jvp = [solver](const Operation& o, std::span<const Tangent> t) { return solver_jvp(solver, o, t); };
  rules->transpose = [solver](const Operation& o, std::span<const Tangent> cts, Cotangents& out) {
    solver_transpose(solver, o, cts, out);
  };
  rules->batch = [solver](const Operation& o, std::span<const BatchDim> dims, const BatchContext& context) {
    return solver_batch(solver, o, dims, context);
  };
  return rules;
}

/// Returns the transpose of a staged matvec, for the transposed solver.
FlatFunction vecmat_of(const StagedFunction& matvec, size_t count) {
  return [&matvec, count](std::span<const Array> v) {
    std::vector<std::optional<Array>> arguments(matvec.captures.begin(), matvec.captures.end());
    arguments.resize(arguments.size() + count);
    const std::vector<Tangent> cts(v.begin(), v.end());
    const std::vector<Tangent> pulled = backward_pass(*matvec.computation, arguments, cts);
    Arrays out;
    for (size_t i = 0; i < count; ++i) out.push_back(materialize(pulled[i], {v[i].aval_shape(), false}));
    return out;
  };
}

}  // namespace

std::vector<Array> custom_linear_solve(const FlatFunction& matvec, std::span<const Array> b, const FlatSolve& solve,
                                       const FlatSolve* transpose_solve, bool symmetric,
                                       const std::source_location& location) {
  if (runs_at_once(b)) return solve(matvec, b);
  const TransformationLocation here(location);
  SharedConstants all(b);
  all.add(matvec, "matvec");
  all.add([&](std::span<const Array> v) { return solve(matvec, v); }, "solve");
  check_results(kLinear, all.results(0), b);
  check_results(kLinear, all.results(1), b);
  if (transpose_solve != nullptr) {
    const StagedFunction staged = stage(matvec, avals_of(b), "matvec", "matvec", CapturePlace::kFirst, true);
    const FlatFunction vecmat = vecmat_of(staged, b.size());
    all.add([&](std::span<const Array> v) { return (*transpose_solve)(vecmat, v); }, "transpose_solve");
    check_results(kLinear, all.results(2), b);
  }
  const Solver solver{all.computation(0), all.computation(1), transpose_solve == nullptr ? nullptr : all.computation(2),
                      all.constants.size(), symmetric};
  return bind_solver(solver, joined_arrays(all.constants, b));
}

// ---- root -----------------------------------------------------------------------------------------------------------

namespace {

/// The computations of a root search: f and its root take (constants, guess), tangent_solve takes (constants, root,
/// right side). Values captured by any of them are constants, so that derivatives with respect to them exist.
struct Root {
  ComputationPtr f, solution, tangent_solution;
  size_t constant_count = 0;
  int64_t id = 0;
  std::source_location location;
};

Arrays call_root(const Root& root, std::span<const Array> operands);

/// From f(c, x) = 0 follows f_x x' = -f_c c'.
custom_jvp_detail::Outputs root_jvp(const Root& root, std::span<const Array> primals, std::span<const Array> tangents) {
  const auto constants = primals.first(root.constant_count);
  const Arrays all = call_root(root, primals);
  const Arrays x(all.begin(), all.begin() + primals.size() - root.constant_count);
  const FlatFunction of_constants = [&](std::span<const Array> c) {
    return run_computation(*root.f, joined_arrays(c, x));
  };
  std::vector<Tangent> directions;
  for (size_t i = 0; i < constants.size(); ++i)
    directions.push_back(has_tangent(tangents[i].dtype()) ? Tangent(tangents[i]) : Tangent());
  const JvpResult moved = jvp_flat(of_constants, constants, directions);
  Arrays y;
  for (size_t i = 0; i < x.size(); ++i) y.push_back(materialize(moved.tangents[i], {x[i].aval_shape(), false}));
  Arrays dx = run_computation(*root.tangent_solution, joined_arrays(joined_arrays(constants, x), y));
  for (Array& d : dx) d = ops::neg(d);
  for (size_t i = x.size(); i < all.size(); ++i) dx.push_back(zeros_like_aval({all[i].aval_shape(), false}));  // aux
  return {all, std::move(dx)};
}

/// Maps (root, right side) to the solution of the linear system that approximates f at its root.
FlatFunction tangent_solution(const FlatFunction& f, const FlatSolve& tangent_solve, size_t count) {
  return [&f, &tangent_solve, count](std::span<const Array> root_and_rhs) {
    const auto x = root_and_rhs.first(count);
    const Linearized slope = linearize_flat(f, x, std::vector<bool>(count, true));
    const FlatFunction g = [&](std::span<const Array> v) {
      const std::vector<Tangent> pushed = slope.push(std::vector<Tangent>(v.begin(), v.end()));
      Arrays out;
      for (size_t i = 0; i < pushed.size(); ++i) out.push_back(materialize(pushed[i], {x[i].aval_shape(), false}));
      return out;
    };
    Arrays dx = tangent_solve(g, root_and_rhs.subspan(count));
    dx.resize(count);  // removes aux
    return dx;
  };
}

Arrays call_root(const Root& root, std::span<const Array> operands) {
  return custom_jvp_detail::call(
      [solution = root.solution](std::span<const Array> all) { return run_computation(*solution, all); }, operands,
      [root](std::span<const Array> primals, std::span<const Array> tangents) {
        return root_jvp(root, primals, tangents);
      },
      root.id, root.location);
}

}  // namespace

std::vector<Array> custom_root(const FlatFunction& f, std::span<const Array> guess, const FlatSolve& solve,
                               const FlatSolve& tangent_solve, const std::source_location& location) {
  if (runs_at_once(guess)) return solve(f, guess);
  const TransformationLocation here(location);
  SharedConstants all(guess);
  all.add(f, "f");
  all.add([&](std::span<const Array> x) { return solve(f, x); }, "solution");
  check_results("custom_root", all.results(0), guess);
  check_results("custom_root", all.results(1), guess);
  all.add(tangent_solution(f, tangent_solve, guess.size()), "tangent_solution", 2);
  check_results("custom_root", all.results(2), guess);
  const Root root{all.computation(0),   all.computation(1),     all.computation(2),
                  all.constants.size(), next_custom_rules_id(), location};
  return call_root(root, joined_arrays(all.constants, guess));
}

}  // namespace hilo::lax::detail
