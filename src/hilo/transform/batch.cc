// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/batch.h"

#include <numeric>

#include "hilo/hlo/ops/ext/named_axis.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/transform/memo.h"

namespace hilo {
namespace {

Aval element_aval(const Array& value, int64_t dim) {
  std::vector<int64_t> dims(value.shape().begin(), value.shape().end());
  dims.erase(dims.begin() + dim);
  return {Shape::array(value.dtype(), dims), value.weak_type()};
}

/// Whether the operation, or one in a computation that it calls, uses the named axis.
bool names_axis(const Operation& operation, const std::string& name) {
  if (const auto* axis = hlo::named_axis_of(operation.opcode, operation.attributes.get()))
    return axis->axis_name == name;
  if (operation.attributes == nullptr) return false;
  hlo::Instruction as_instruction;
  as_instruction.opcode = operation.opcode;
  as_instruction.attributes = operation.attributes;
  for (const hlo::ComputationPtr& called : hlo::called_computations(as_instruction)) {
    if (hlo::uses_axis(called, name)) return true;
  }
  return false;
}

}  // namespace

BatchTracer::BatchTracer(std::shared_ptr<const TraceRecord> record, Array value, int64_t dim)
    : TracerOf(std::move(record), element_aval(value, dim)), value(std::move(value)), dim(dim) {}

std::shared_ptr<const ArrayImpl> BatchTracer::with_weak_type(bool weak_type) const {
  auto copy = std::make_shared<BatchTracer>(*this);
  copy->aval.weak_type = weak_type;
  copy->value = hilo::with_weak_type(value, weak_type);
  return copy;
}

Array BatchTrace::wrap(Array value, BatchDim dim) {
  if (!dim) return value;
  return Array(std::make_shared<BatchTracer>(record(), std::move(value), *dim));
}

const Array& BatchTrace::value_of_batch(const Array& array) const {
  return owns(array) ? tracer<BatchTracer>(array).value : array;
}

BatchDim BatchTrace::dim_of(const Array& array) const {
  if (!owns(array)) return std::nullopt;
  return tracer<BatchTracer>(array).dim;
}

std::vector<Array> BatchTrace::bind(const Operation& operation) {
  Operation inner{operation.opcode, {}, operation.attributes, operation.declared};
  std::vector<BatchDim> dims;
  bool any = false;
  for (const Array& a : operation.operands) {
    inner.operands.push_back(value_of_batch(a));
    dims.push_back(dim_of(a));
    any |= dims.back().has_value();
  }
  if (any) result_avals(operation);  // errors show the user's shapes, not the batched ones
  any |= named_axis() && names_axis(operation, named_axis()->name);
  TraceScope scope(*parent());
  if (!any) return parent()->bind(inner);
  const Rules& rules = rules_of(operation.opcode);
  const BatchFunction* rule = rules.batch.function();
  if (rule == nullptr) {
    const NotYet* missing = rules.batch.missing();
    or_throw(unimplemented("vmap of " + at_user_line(hlo::opcode_name(operation.opcode)) + ": " +
                           (missing != nullptr ? missing->why : "the op can't be batched")));
  }
  BatchResult result = (*rule)(inner, dims, context_);
  std::vector<Array> out;
  out.reserve(result.results.size());
  for (size_t i = 0; i < result.results.size(); ++i) out.push_back(wrap(std::move(result.results[i]), result.dims[i]));
  return out;
}

Array move_axis(const Array& array, int64_t from, int64_t to) {
  if (from == to) return array;
  auto attributes = std::make_shared<hlo::TransposeAttributes>();
  for (int64_t i = 0; i < array.ndim(); ++i) {
    if (i != from) attributes->permutation.push_back(i);
  }
  attributes->permutation.insert(attributes->permutation.begin() + to, from);
  return bind_one(hlo::Opcode::kTranspose, {array}, attributes);
}

Array batch_axis_at(const Array& array, BatchDim dim, int64_t to, int64_t axis_size) {
  if (dim) return move_axis(array, *dim, to);
  std::vector<int64_t> dims(array.shape().begin(), array.shape().end());
  dims.insert(dims.begin() + to, axis_size);
  auto attributes = std::make_shared<hlo::BroadcastAttributes>();
  for (int64_t i = 0; i < array.ndim(); ++i) attributes->dimensions.push_back(i < to ? i : i + 1);
  return bind_one(hlo::Opcode::kBroadcast, {array}, attributes, Shape::array(array.dtype(), dims));
}

namespace {

[[noreturn]] void refuse(std::string_view where, const std::string& why) {
  or_throw(invalid_argument(std::string(where) + why));
  __builtin_unreachable();
}

/// Returns the size that all mapped axes share.
int64_t common_axis_size(std::span<const Array> arguments, std::span<const BatchDim> dims, std::string_view where,
                         std::optional<int64_t> common) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!dims[i]) continue;
    const int64_t size = arguments[i].shape(*dims[i]);
    if (common && *common != size) {
      refuse(where, ": got inconsistent sizes for array axes to be mapped: " + std::to_string(*common) +
                        ", and argument leaf " + std::to_string(i) + " of type " +
                        arguments[i].aval_shape().to_string() + " has size " + std::to_string(size) + " in axis " +
                        std::to_string(*dims[i]));
    }
    common = size;
  }
  if (!common) refuse(where, ": must have at least one non-None value in in_axes, or an axis_size");
  return *common;
}

/// Returns result `i` with its batch axis moved from `dim` to the requested place.
Array placed_result(const Array& value, BatchDim dim, BatchDim target, int64_t axis_size, size_t i,
                    std::string_view where) {
  if (!target && dim) {
    refuse(where,
           ": result " + std::to_string(i) + " has mapped axis " + std::to_string(*dim) + " but out_axes is None");
  }
  if (!target) return value;
  const int64_t rank = value.ndim() + (dim ? 0 : 1);
  const int64_t axis = *target < 0 ? *target + rank : *target;
  if (axis < 0 || axis >= rank) {
    refuse(where, " out_axes: axis " + std::to_string(*target) + " is out of range for result " + std::to_string(i) +
                      ", which has " + std::to_string(rank) + " axes with the mapped one");
  }
  return batch_axis_at(value, dim, axis, axis_size);
}

}  // namespace

BatchResult run_batched(const FlatFunction& f, std::span<const Array> arguments, std::span<const BatchDim> dims,
                        const BatchContext& context) {
  BatchTrace trace(&current_trace(), context);
  std::vector<Array> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) inputs.push_back(trace.wrap(arguments[i], dims[i]));
  BatchResult result;
  for (const Array& out : call_under(trace, f, inputs)) {
    result.results.push_back(trace.value_of_batch(out));
    result.dims.push_back(trace.dim_of(out));
  }
  return result;
}

std::vector<Array> vmap_flat(const FlatFunction& f, std::span<const Array> arguments, std::span<const BatchDim> in_dims,
                             const std::function<std::vector<BatchDim>(size_t)>& out_dims, std::string_view where,
                             const std::string& axis_name, std::optional<int64_t> given_size,
                             const std::string& spmd_axis_name) {
  const int64_t axis_size = common_axis_size(arguments, in_dims, where, given_size);
  std::vector<BatchDim> dims(in_dims.begin(), in_dims.end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] && *dims[i] < 0) *dims[i] += arguments[i].ndim();
  }
  BatchResult batched = run_batched(f, arguments, dims, {axis_size, axis_name, spmd_axis_name});
  const std::vector<BatchDim> target = out_dims(batched.results.size());
  for (size_t i = 0; i < batched.results.size(); ++i) {
    batched.results[i] = placed_result(batched.results[i], batched.dims[i], target[i], axis_size, i, where);
  }
  return std::move(batched.results);
}

namespace {

BatchedComputation trace_batched(const hlo::ComputationPtr& computation, const std::vector<bool>& batched,
                                 const std::vector<bool>& force, const BatchContext& context) {
  std::vector<Aval> avals;
  std::vector<BatchDim> dims;
  for (const Shape& leaf : parameter_leaves(*computation)) {
    dims.push_back(batched[dims.size()] ? BatchDim(0) : std::nullopt);
    std::vector<int64_t> sizes(leaf.dimensions().begin(), leaf.dimensions().end());
    if (dims.back()) sizes.insert(sizes.begin(), context.axis_size);
    avals.push_back({leaf.with_dimensions(sizes), false});
  }
  BatchedComputation result;
  const FlatFunction f = [&](std::span<const Array> arguments) {
    const auto run = [&](std::span<const Array> inputs) { return run_computation(*computation, inputs); };
    BatchResult out = run_batched(run, arguments, dims, context);
    for (size_t i = 0; i < out.results.size(); ++i) {
      result.batched_results.push_back(out.dims[i].has_value() || (i < force.size() && force[i]));
      if (result.batched_results.back())
        out.results[i] = batch_axis_at(out.results[i], out.dims[i], 0, context.axis_size);
    }
    return std::move(out.results);
  };
  result.computation =
      stage(f, avals, "vmap", computation->name() + ".vmap", CapturePlace::kNone, /*always_tuple=*/true).computation;
  return result;
}

}  // namespace

BatchedComputation batch_computation(const hlo::ComputationPtr& computation, const std::vector<bool>& batched,
                                     const std::vector<bool>& force, const BatchContext& context) {
  static ComputationMemo<BatchedComputation, Mask, Mask, int64_t, std::string, std::string> memo;
  return memo.get(computation, batched, force, context.axis_size, context.axis_name, context.spmd_axis_name,
                  [&] { return trace_batched(computation, batched, force, context); });
}

}  // namespace hilo
