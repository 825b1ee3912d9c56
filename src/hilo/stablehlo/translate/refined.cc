// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/refined.cc -- translates modules with unknown sizes for an entry with known ones. Shapes follow
// from operands. Calls are inlined and constants folded immediately, so that the operands of sizes are constants.
#include "hilo/stablehlo/translate/refined.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hilo/hlo/ops/check_instruction.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/ops/slice.h"
#include "hilo/stablehlo/translate/attribute_setter.h"
#include "hilo/stablehlo/translate/translate.h"
#include "hilo/types/twins.h"

namespace hilo::stablehlo {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

constexpr int64_t kMaxFoldedElements = 64;  // sizes are lists of a few numbers
constexpr int64_t kMaxStride = int64_t{1} << 31;
constexpr int kMaxInlinedDepth = 256;                  // maximum depth of inlined calls
constexpr hlo::InstructionId kMaxInlined = 1'000'000;  // instructions

bool is_dynamic(const Type& type) {
  return std::find(type.dimensions.begin(), type.dimensions.end(), kDynamic) != type.dimensions.end();
}

const Literal* constant_value(const hlo::Builder& builder, InstructionId id) {
  const hlo::Instruction& i = builder.instruction(id);
  return i.opcode == Opcode::kConstant ? &hlo::attributes_of<hlo::ConstantAttributes>(i).value : nullptr;
}

bool is_foldable(const hlo::Instruction& i) {
  return i.opcode != Opcode::kConstant && i.opcode != Opcode::kCall && i.opcode != Opcode::kOptimizationBarrier &&
         i.shape.is_array() && i.shape.element_count() <= kMaxFoldedElements && !i.operands.empty() &&
         (is_integer(i.shape.element_type()) || i.shape.element_type() == ElementType::kPred) &&
         i.def().evaluate != nullptr && (i.def().traits & hlo::kEffect) == 0;
}

/// Folds instruction `id` to a constant, if all its operands are constants and its result is a few integers.
StatusOr<InstructionId> folded(hlo::Builder& builder, InstructionId id) {
  const hlo::Instruction& i = builder.instruction(id);
  if (!is_foldable(i)) return id;
  std::vector<const Literal*> operands;
  for (InstructionId operand : i.operands) {
    operands.push_back(constant_value(builder, operand));
    if (operands.back() == nullptr) return id;
  }
  const std::function<StatusOr<Literal>(const hlo::Computation&, std::span<const Literal* const>)> none =
      [](const hlo::Computation&, std::span<const Literal* const>) -> StatusOr<Literal> {
    return unimplemented("sizes that a called computation computes");
  };
  StatusOr<Literal> value = i.def().evaluate({i, operands, none});
  return value.ok() ? builder.constant(*std::move(value))
                    : id;  // an instruction that can't be folded isn't a size, or is rejected later
}

std::vector<int64_t> integers_in(const Literal& literal) {
  std::vector<int64_t> values;
  visit_array_type(
      literal.shape().element_type(),
      [&]<typename T>() {
        if constexpr (is_integral_element<T>) {
          for (const T& value : literal.data<T>()) values.push_back(value);
        }
      },
      [] {});
  return values;
}

}  // namespace

bool Translator::refines() const { return refining; }

Status fold_results(const OpContext& op) {
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    const InstructionId id = op.translator.ids[op.tree().result(op.operation, i)];
    if (id == hlo::kNoInstruction) continue;
    HILO_ASSIGN_OR_RETURN(const InstructionId known, folded(op.builder, id));
    op.define(i, known);
  }
  return ok_status();
}

std::optional<std::vector<int64_t>> known_integers(const OpContext& op, uint32_t operand) {
  const InstructionId id = op.translator.ids[op.tree().operand(op.operation, operand)];
  const Literal* const value = id == hlo::kNoInstruction ? nullptr : constant_value(op.builder, id);
  if (value == nullptr) return std::nullopt;
  return integers_in(*value);
}

/// Returns the integers of an operand that is a constant.
StatusOr<std::vector<int64_t>> constant_operand(const OpContext& op, uint32_t i) {
  if (i >= op.operation.operands.count) return invalid_argument("an operand is missing");
  if (std::optional<std::vector<int64_t>> known = known_integers(op, i)) return *std::move(known);
  const OperationId definer = op.tree().values[op.tree().operand(op.operation, i)].definer;
  const Attribute* value = nullptr;
  if (definer != kNone && op.tree().operations[definer].name.ends_with(".constant"))
    value = op.tree().find(op.tree().operations[definer], "value");
  if (value == nullptr) return unimplemented(fmt::format("operand {} specifies sizes but is not a constant", i));
  return integers_of(op.tree(), *value);
}

StatusOr<OpContext> without_shape_operands(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, op.integers("indices_of_shape_operands"));
  const uint32_t results = op.operation.results.count, operands = op.operation.operands.count;
  if (indices.size() != results || results > operands)
    return invalid_argument(fmt::format("indices_of_shape_operands has {} entries for {} results and {} operands",
                                        indices.size(), results, operands));
  OpContext inner = op;
  inner.operand_limit = operands - results;
  for (uint32_t i = 0; i < results; ++i) {
    if (indices[i] != inner.operand_limit + i)
      return unimplemented(fmt::format("shape operand {}; wanted the last operands, {} to {}, in order", indices[i],
                                       inner.operand_limit, operands - 1));
  }
  if (!op.translator.refines()) return inner;
  for (uint32_t i = 0; i < results; ++i) {
    HILO_ASSIGN_OR_RETURN(inner.sizes.emplace_back(), constant_operand(op, inner.operand_limit + i));
  }
  return inner;
}

namespace {

/// Returns the shape with sizes from operands, which must agree with the type.
StatusOr<Shape> given_shape(const Type& declared, const std::vector<int64_t>& sizes) {
  bool fits = sizes.size() == declared.dimensions.size();
  for (size_t d = 0; fits && d < sizes.size(); ++d)
    fits = declared.dimensions[d] == kDynamic || declared.dimensions[d] == sizes[d];
  if (!fits)
    return invalid_argument(
        fmt::format("the sizes are [{}], but the type is {}", fmt::join(sizes, ","), declared.spelled));
  return Shape::make_array(declared.element, sizes);
}

}  // namespace

StatusOr<Shape> refined_shape(const OpContext& op, uint32_t i) {
  const Type& declared = op.result_type(i);
  if (i < op.sizes.size()) return given_shape(declared, op.sizes[i]);
  if (!is_dynamic(declared)) return op.translator.shape_of(op.tree().result(op.operation, i));
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  std::optional<Shape> alike;
  for (InstructionId id : operands) {
    const Shape& shape = op.builder.shape(id);
    if (!shape.is_array() || shape.rank() != std::ssize(declared.dimensions)) continue;
    if (alike && !std::ranges::equal(alike->dimensions(), shape.dimensions()))
      return invalid_argument(fmt::format("operands {} and {} differ in size", alike->to_string(), shape.to_string()));
    alike = shape;
  }
  if (!alike)
    return unimplemented(
        fmt::format("type {} has an unknown size that doesn't follow from operands", declared.spelled));
  return given_shape(declared, {alike->dimensions().begin(), alike->dimensions().end()});
}

namespace {

/// A truth value is one bit in StableHLO.
int64_t bits_of(ElementType type) {
  return type == ElementType::kPred ? 1 : std::max<int64_t>(element_type_info(type).bits, 1);
}

}  // namespace

StatusOr<Shape> bitcast_shape(const OpContext& op, const Shape& operand) {
  const Type& declared = op.result_type();
  const int64_t from = bits_of(operand.element_type()), to = bits_of(declared.element);
  std::vector<int64_t> sizes(operand.dimensions().begin(), operand.dimensions().end());
  if (to < from) sizes.push_back(from / to);
  if (to > from && !sizes.empty()) sizes.pop_back();
  return Shape::make_array(declared.element, sizes);
}

namespace {

/// One size may be unknown; it follows from the others.
StatusOr<Shape> reshaped_shape(const OpContext& op, const Shape& operand) {
  const Type& declared = op.result_type();
  int64_t known = 1, open = 0;
  for (const int64_t size : declared.dimensions) {
    open += size == kDynamic ? 1 : 0;
    if (size != kDynamic && __builtin_mul_overflow(known, size, &known)) return invalid_argument("too many elements");
  }
  if (open != 1 || known == 0 || operand.element_count() % known != 0) return refined_shape(op, 0);
  std::vector<int64_t> sizes = declared.dimensions;
  std::ranges::replace(sizes, kDynamic, operand.element_count() / known);
  return Shape::make_array(declared.element, sizes);
}

}  // namespace

StatusOr<Shape> refined_result(const OpContext& op, Opcode opcode, std::span<const InstructionId> operands,
                               const hlo::AttributesPtr& attributes) {
  const hlo::OpDef& def = hlo::op_def(opcode);
  const uint32_t results = op.operation.results.count;
  if (!op.sizes.empty()) {
    std::vector<Shape> given;
    for (uint32_t i = 0; i < results; ++i) {
      HILO_ASSIGN_OR_RETURN(given.emplace_back(), refined_shape(op, i));
    }
    return results == 1 ? given[0] : Shape::tuple(given);
  }
  if (opcode == Opcode::kConvert || opcode == Opcode::kReducePrecision) return refined_shape(op, 0);
  std::vector<Shape> shapes;
  for (InstructionId id : operands) shapes.push_back(op.builder.shape(id));
  if (opcode == Opcode::kBitcastConvert && shapes.size() == 1) return bitcast_shape(op, shapes[0]);
  if (opcode == Opcode::kReshape && shapes.size() == 1) return reshaped_shape(op, shapes[0]);
  HILO_ASSIGN_OR_RETURN(const Shape inferred, hlo::check_instruction(def, shapes, attributes.get(), std::nullopt));
  if (!inferred.is_array() || results != 1) return inferred;
  return inferred.with_element_type(op.result_type().element);
}

bool has_unknown_sizes(const OpContext& op) {
  for (uint32_t i = 0; i < op.operation.results.count; ++i) {
    if (is_dynamic(op.result_type(i))) return true;
  }
  return false;
}

namespace {

/// Returns element `d` of a vector as a scalar.
StatusOr<InstructionId> element_of(const OpContext& op, InstructionId vector, int64_t d) {
  auto slice = std::make_shared<hlo::SliceAttributes>();
  slice->ranges.push_back({d, d + 1, 1});
  HILO_ASSIGN_OR_RETURN(const InstructionId one, op.builder.add(Opcode::kSlice, {vector}, std::move(slice)));
  return op.builder.add(Opcode::kReshape, {one}, nullptr, Shape::scalar(op.builder.shape(vector).element_type()));
}

/// Returns the sizes of a slice [start, start + sizes) with stride 1, if they are known.
std::optional<std::vector<int64_t>> sizes_of_slice(const OpContext& op) {
  const std::optional<std::vector<int64_t>> strides = known_integers(op, 3);
  if (!strides || std::any_of(strides->begin(), strides->end(), [](int64_t s) { return s != 1; })) return std::nullopt;
  const InstructionId start = op.translator.ids[op.tree().operand(op.operation, 1)];
  const hlo::Instruction& limit = op.builder.instruction(op.translator.ids[op.tree().operand(op.operation, 2)]);
  if (limit.opcode != Opcode::kAdd) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const Literal* const sizes = constant_value(op.builder, limit.operands[1 - k]);
    if (limit.operands[k] == start && sizes != nullptr) return integers_in(*sizes);
  }
  return std::nullopt;
}

/// Slices the array from a start that is computed at run time.
StatusOr<InstructionId> slice_from(const OpContext& op, const InstructionIds& given,
                                   const std::vector<int64_t>& sizes) {
  std::vector<InstructionId> operands = {given[0]};
  for (size_t d = 0; d < sizes.size(); ++d) {
    HILO_ASSIGN_OR_RETURN(const InstructionId start, element_of(op, given[1], d));
    operands.push_back(start);
  }
  AttributeSetter attributes(Opcode::kDynamicSlice);
  HILO_RETURN_IF_ERROR(attributes.set_list("dynamic_slice_sizes", sizes));
  return op.builder.add(Opcode::kDynamicSlice, operands, attributes.take());
}

/// Slices by the sizes of the result's type; strides are known.
Status slice_as_the_result(const OpContext& op, const InstructionIds& given) {
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  const std::optional<std::vector<int64_t>> strides = known_integers(op, 3);
  if (!strides || std::ssize(*strides) != result.rank()) return unimplemented("a slice with unknown strides");
  std::vector<int64_t> sizes;
  auto every = std::make_shared<hlo::SliceAttributes>();
  for (int64_t d = 0; d < result.rank(); ++d) {
    const int64_t stride = (*strides)[d], count = result.dimension(d);
    if (stride < 1 || stride > kMaxStride) return invalid_argument(fmt::format("got stride {}", stride));
    sizes.push_back(count == 0 ? 0 : (count - 1) * stride + 1);
    every->ranges.push_back({0, sizes.back(), stride});
  }
  HILO_ASSIGN_OR_RETURN(const InstructionId whole, slice_from(op, given, sizes));
  HILO_ASSIGN_OR_RETURN(const InstructionId id, op.builder.add(Opcode::kSlice, {whole}, std::move(every)));
  op.define(0, id);
  return ok_status();
}

}  // namespace

Status translate_slice_of_known_size(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds given, op.operands());
  if (given.size() != 4) return invalid_argument(fmt::format("got {} operands, wanted 4", given.size()));
  if (!has_unknown_sizes(op)) return slice_as_the_result(op, given);
  const std::optional<std::vector<int64_t>> sizes = sizes_of_slice(op);
  if (!sizes) return unimplemented("a slice of unknown size");
  HILO_ASSIGN_OR_RETURN(const InstructionId id, slice_from(op, given, *sizes));
  op.define(0, id);
  return ok_status();
}

/// Translates tensor.from_elements, which concatenates scalars. Sizes among them stay constants.
Status translate_from_elements(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  HILO_ASSIGN_OR_RETURN(const Shape result, op.result_shape());
  if (std::ssize(operands) != result.element_count() || operands.empty() || result.rank() > 1)
    return unimplemented(fmt::format("{} of {} elements", result.to_string(), operands.size()));
  std::vector<InstructionId> parts;
  for (const InstructionId operand : operands) {
    const Shape one = Shape::array(result.element_type(), {1});
    HILO_ASSIGN_OR_RETURN(const InstructionId part, op.builder.add(Opcode::kReshape, {operand}, nullptr, one));
    HILO_ASSIGN_OR_RETURN(parts.emplace_back(), folded(op.builder, part));
  }
  auto attributes = std::make_shared<hlo::ConcatenateAttributes>();
  attributes->dimension = 0;
  HILO_ASSIGN_OR_RETURN(InstructionId all, op.builder.add(Opcode::kConcatenate, parts, std::move(attributes)));
  if (result.is_scalar()) {
    HILO_ASSIGN_OR_RETURN(all, folded(op.builder, all));
    HILO_ASSIGN_OR_RETURN(all, op.builder.add(Opcode::kReshape, {all}, nullptr, result));
  }
  op.define(0, all);
  return ok_status();
}

/// Translates tensor.dim: the size of the dimension whose index is a constant.
Status translate_tensor_dimension(const OpContext& op) {
  HILO_ASSIGN_OR_RETURN(const InstructionId operand, op.operand(0));
  const std::optional<std::vector<int64_t>> dimension = known_integers(op, 1);
  if (!dimension || dimension->size() != 1) return unimplemented("a dimension's index is not a constant");
  const Shape shape = op.builder.shape(operand);
  if (!shape.is_array() || dimension->front() < 0 || dimension->front() >= shape.rank())
    return invalid_argument(fmt::format("{} has no dimension {}", shape.to_string(), dimension->front()));
  op.define(0, op.builder.constant(Literal::scalar(shape.dimension(dimension->front()))));
  return ok_status();
}

Status inline_call(const OpContext& op, std::string_view callee) {
  Translator& t = op.translator;
  const auto found = t.functions.find(callee);
  if (found == t.functions.end()) return not_found(fmt::format("function @{} doesn't exist", callee));
  const Operation& function = op.tree().operations[found->second];
  if (function.regions.count != 1) return invalid_argument(fmt::format("function @{} has no body", callee));
  const Region& body = op.tree().regions[function.regions.begin];
  if (body.arguments.count != op.operation.operands.count)
    return invalid_argument(fmt::format("function @{}: got {} arguments; wanted {}", callee,
                                        op.operation.operands.count, body.arguments.count));
  if (t.inlined_depth >= kMaxInlinedDepth || op.builder.size() > kMaxInlined)
    return unimplemented("a program of unknown sizes with too many calls");
  HILO_ASSIGN_OR_RETURN(const InstructionIds operands, op.operands());
  const auto pass_limits = [&t](ValueId from, ValueId to) {
    const auto found = t.limits.find(from);
    const Limits own = found == t.limits.end() ? Limits() : found->second;
    if (own.empty()) t.limits.erase(to);
    else t.limits[to] = own;
  };
  for (uint32_t i = 0; i < body.arguments.count; ++i) {
    t.set(op.builder, body.arguments.begin + i, operands[i]);
    pass_limits(op.tree().operand(op.operation, i), body.arguments.begin + i);
  }
  std::vector<InstructionId> results;
  ++t.inlined_depth;
  HILO_RETURN_IF_ERROR(t.translate_block(op.builder, body, results));
  --t.inlined_depth;
  if (results.size() != op.operation.results.count)
    return invalid_argument(fmt::format("function @{} returns {} values", callee, results.size()));
  const Operation& end = op.tree().operations[body.last];
  for (uint32_t i = 0; i < results.size(); ++i) {
    op.define(i, results[i]);
    pass_limits(op.tree().operand(end, i), op.tree().result(op.operation, i));
  }
  return ok_status();
}

/// Checks an assertion about sizes. "{0}" in its message is replaced by the operand after the condition, and so on.
Status check_shape_assertion(const OpContext& op) {
  const std::optional<std::vector<int64_t>> holds = known_integers(op, 0);
  if (!holds || holds->empty()) return unimplemented("an assertion about a value that is not a size");
  const bool fulfilled = std::all_of(holds->begin(), holds->end(), [](int64_t bit) { return bit != 0; });
  if (fulfilled) return ok_status();
  std::string message(op.text("error_message"));
  for (uint32_t i = 1; i < op.operation.operands.count; ++i) {
    const std::string place = fmt::format("{{{}}}", i - 1);
    const std::optional<std::vector<int64_t>> value = known_integers(op, i);
    if (!value || value->size() != 1) continue;
    const std::string number = std::to_string(value->front());
    for (size_t at = message.find(place); at != std::string::npos; at = message.find(place, at + number.size()))
      message.replace(at, place.size(), number);
  }
  std::string arguments;
  for (const Shape& shape : op.translator.options.arguments)
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", shape.to_string());
  if (!arguments.empty()) message += fmt::format(" Got arguments {}", arguments);
  return invalid_argument(message);
}

}  // namespace hilo::stablehlo
