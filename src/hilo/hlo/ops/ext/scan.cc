// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/ext/scan.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/ext/scan_decompose.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

constexpr AttributeField kScanFields[] = {
    field<&ScanAttributes::step>("step", FieldShow::kAlways),
    field<&ScanAttributes::length>("length", FieldShow::kAlways),
    field<&ScanAttributes::constant_count>("constant_count", FieldShow::kAlways),
    field<&ScanAttributes::carry_count>("carry_count", FieldShow::kAlways),
    field<&ScanAttributes::reverse>("reverse", FieldShow::kUnlessDefault),
};

Status check_counts(const ScanAttributes& a, size_t operand_count) {
  const int64_t count = operand_count;
  if (a.length < 0) return invalid_argument(fmt::format("length: got {}, wanted at least 0", a.length));
  if (a.constant_count < 0 || a.carry_count < 0 || a.constant_count > count ||
      a.carry_count > count - a.constant_count) {
    return invalid_argument(fmt::format("got {} operands; wanted {} constants and {} carries before the xs", count,
                                        a.constant_count, a.carry_count));
  }
  return ok_status();
}

/// Returns the shape of one slice of xs operand `number`.
StatusOr<Shape> slice_shape(const Shape& xs, size_t number, int64_t length) {
  if (xs.rank() == 0 || xs.dimension(0) != length) {
    return invalid_argument(fmt::format("operand {} is {}; wanted a leading dimension of {}, the scan's length", number,
                                        xs.to_string(), length));
  }
  return xs.with_dimensions(xs.dimensions().subspan(1));
}

/// Checks that the step returns the tuple (carries, y slices), with the same types of carries as its parameters.
Status check_step_result(const Computation& step, std::span<const Shape> carries) {
  const Shape& result = step.result_shape();
  if (!result.is_tuple() || result.tuple_elements().size() < carries.size()) {
    return invalid_argument(fmt::format("step '{}': returns {}, wanted a tuple that begins with {} carries",
                                        step.name(), result.to_string(), carries.size()));
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    const Shape& got = result.tuple_elements()[i];
    if (got.compatible(carries[i])) continue;
    return invalid_argument(fmt::format(
        "step '{}': returns carry {} as {}, it came in as {}. Hint: convert it in the step or before the scan",
        step.name(), i, got.to_string(), carries[i].to_string()));
  }
  for (size_t i = carries.size(); i < result.tuple_elements().size(); ++i) {
    const Shape& y = result.tuple_elements()[i];
    if (y.is_array()) continue;
    return invalid_argument(
        fmt::format("step '{}': returns y {} as {}, wanted an array", step.name(), i - carries.size(), y.to_string()));
  }
  return ok_status();
}

StatusOr<Shape> infer_scan(const ShapeRuleInput& input) {
  const auto& a = attributes_of<ScanAttributes>(input);
  HILO_RETURN_IF_ERROR(check_counts(a, input.operands.size()));
  const size_t first_xs = a.constant_count + a.carry_count;
  const std::span<const Shape> carries = input.operands.subspan(a.constant_count, a.carry_count);
  std::vector<Shape> parameters(input.operands.begin(), input.operands.begin() + first_xs);
  for (size_t i = first_xs; i < input.operands.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(const Shape slice, slice_shape(input.operands[i], i, a.length));
    parameters.push_back(slice);
  }
  HILO_RETURN_IF_ERROR(check_called("step", a.step, parameters, a.step == nullptr ? Shape() : a.step->result_shape()));
  HILO_RETURN_IF_ERROR(check_step_result(*a.step, carries));
  std::vector<Shape> results;
  for (const Shape& carry : carries) results.push_back(carry.with_default_layout());
  for (const Shape& y : a.step->result_shape().tuple_elements().subspan(carries.size())) {
    std::vector<int64_t> sizes = {a.length};
    sizes.insert(sizes.end(), y.dimensions().begin(), y.dimensions().end());
    HILO_ASSIGN_OR_RETURN(const Shape stacked, Shape::make_array(y.element_type(), sizes));
    results.push_back(stacked);
  }
  return Shape::tuple(results);
}

/// Returns row `i` of `stacked` as a literal of shape `row`.
Literal load_row(const Literal& stacked, int64_t i, const Shape& row) {
  const size_t bytes = row.byte_size();
  return Literal::from_bytes(row, stacked.bytes().subspan(static_cast<size_t>(i) * bytes, bytes));
}

void store_row(Literal& stacked, int64_t i, const Literal& row) {
  const std::span<const std::byte> bytes = row.bytes();
  if (!bytes.empty())
    std::memcpy(stacked.mutable_bytes().data() + static_cast<size_t>(i) * bytes.size(), bytes.data(), bytes.size());
}

StatusOr<Literal> evaluate_scan(const EvaluateInput& input) {
  const auto& a = attributes_of<ScanAttributes>(input.instruction);
  const auto constants = static_cast<size_t>(a.constant_count), carries = static_cast<size_t>(a.carry_count);
  const size_t first_xs = constants + carries;
  std::vector<Literal> results;
  for (size_t i = 0; i < carries; ++i) results.push_back(*input.operands[constants + i]);
  const std::span<const Shape> shapes = input.instruction.shape.tuple_elements();
  for (size_t i = carries; i < shapes.size(); ++i) {
    HILO_ASSIGN_OR_RETURN(Literal stacked, Literal::make(literal_shape(shapes[i])));
    results.push_back(std::move(stacked));
  }
  for (int64_t count = 0; count < a.length; ++count) {
    const int64_t row = a.reverse ? a.length - 1 - count : count;
    std::vector<Literal> slices;
    for (size_t i = first_xs; i < input.operands.size(); ++i) {
      const Shape& xs = input.operands[i]->shape();
      slices.push_back(load_row(*input.operands[i], row, xs.with_dimensions(xs.dimensions().subspan(1))));
    }
    std::vector<const Literal*> arguments(input.operands.begin(), input.operands.begin() + constants);
    for (size_t i = 0; i < carries; ++i) arguments.push_back(&results[i]);
    for (const Literal& slice : slices) arguments.push_back(&slice);
    HILO_ASSIGN_OR_RETURN(Literal stepped, input.run(*a.step, arguments));
    std::vector<Literal> outcome = std::move(stepped).release_elements();
    for (size_t i = 0; i < carries; ++i) results[i] = std::move(outcome[i]);
    for (size_t i = carries; i < results.size(); ++i) store_row(results[i], row, outcome[i]);
  }
  return Literal::tuple(std::move(results));
}

}  // namespace

HILO_DEFINE_OP(ext_scan_op, {.opcode = kExtScan,
                             .name = "hilo.scan",
                             .arity = -1,
                             .operand_types = kAnyArray,
                             .traits = kExtension,
                             .cost = CostClass::kHero,
                             .sharding = kUnshared,
                             .infer_shape = infer_scan,
                             .attributes = attributes_def<ScanAttributes>(kScanFields),
                             .evaluate = evaluate_scan,
                             .decompose = decompose_scan,
                             .spec = "jax.lax.scan"})

}  // namespace hilo::hlo
