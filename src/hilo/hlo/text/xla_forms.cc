// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/text/xla_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/slice.h"

namespace hilo::hlo::text {
namespace {

using Id = InstructionId;

// ---- Dynamic slices with their starts in one vector

size_t first_start(Opcode opcode) { return opcode == Opcode::kDynamicSlice ? 1 : 2; }

bool has_vector_start(const StatedInstruction& s) {
  const size_t first = first_start(s.opcode);
  return s.operands.size() == first + 1 && s.operands[first].is_array() && s.operands[first].rank() == 1;
}

StatusOr<Id> append_with_scalar_starts(const StatedInstruction& s, std::span<const Id> operands, Appender out) {
  const size_t first = first_start(s.opcode);
  const int64_t rank = s.operands[0].is_array() ? s.operands[0].rank() : -1;
  if (s.operands[first].dimension(0) != rank) {
    return invalid_argument(fmt::format("the starts are {}, wanted one for each dimension of {}",
                                        s.operands[first].to_string(), s.operands[0].to_string()));
  }
  std::vector<Id> own(operands.begin(), operands.begin() + first);
  for (int64_t d = 0; d < rank; ++d) {
    auto slice = std::make_shared<SliceAttributes>();
    slice->ranges = {{d, d + 1, 1}};
    HILO_ASSIGN_OR_RETURN(const Id one, out.add(Opcode::kSlice, {operands[first]}, std::move(slice)));
    const Shape scalar = Shape::scalar(s.operands[first].element_type());
    HILO_ASSIGN_OR_RETURN(const Id start, out.add(Opcode::kReshape, {one}, nullptr, scalar));
    own.push_back(start);
  }
  return out.add(s.opcode, own, s.copied_attributes(), s.declared);
}

// ---- Copies of tuples

/// Copies each leaf except tokens. The recursion is as deep as the shape, which readers limit.
StatusOr<Id> append_copy(Id value, const Shape& declared, Appender out) {
  if (!declared.is_tuple())
    return declared.is_array() ? out.add(Opcode::kCopy, {value}, nullptr, declared) : StatusOr<Id>(value);
  std::vector<Id> elements;
  for (int64_t k = 0; k < declared.tuple_size(); ++k) {
    HILO_ASSIGN_OR_RETURN(const Id element, out.element(value, k));
    HILO_ASSIGN_OR_RETURN(const Id copy, append_copy(element, declared.tuple_element(k), out));
    elements.push_back(copy);
  }
  return out.add(Opcode::kTuple, elements, nullptr, declared);
}

StatusOr<Id> append_tuple_copy(const StatedInstruction& s, std::span<const Id> operands, Appender out) {
  const Shape& declared = s.declared ? *s.declared : s.operands[0];
  if (declared.compatible(s.operands[0])) return append_copy(operands[0], declared, out);
  return invalid_argument(
      fmt::format("declared shape is {}, the operand is {}", declared.to_string(), s.operands[0].to_string()));
}

// ---- Maps without dimensions

bool has_no_dimensions(const StatedInstruction& s) {
  return field_value<Int64List>(field_named(s.opcode, "dimensions"), *s.attributes).empty();
}

StatusOr<Id> append_whole_map(const StatedInstruction& s, std::span<const Id> operands, Appender out) {
  std::shared_ptr<Attributes> attributes = s.copied_attributes();
  auto& dimensions = field_value<Int64List>(field_named(s.opcode, "dimensions"), *attributes);
  dimensions.resize(s.operands[0].dimensions().size());
  std::iota(dimensions.begin(), dimensions.end(), int64_t{0});
  return out.add(s.opcode, operands, std::move(attributes), s.declared);
}

// ---- Scans with one result

/// Returns the same body with its result in a tuple.
StatusOr<ComputationPtr> with_tuple_result(const ComputationPtr& body) {
  ComputationDraft draft(body->name());
  for (const Instruction& i : body->instructions()) draft.append_copy(i, i.operands);
  const Id root[] = {body->root_id()};
  const Id tuple = draft.append(Opcode::kTuple, Shape::tuple({body->result_shape()}), root);
  draft.mutable_instruction(tuple).origin = body->root().origin;
  return std::move(draft).finish(tuple);
}

/// Returns the field of the scan's body: to_apply for XLA's scan. For hilo's own it is step, whose result may lack its
/// tuple after a round trip through StableHLO.
const AttributeField& body_field(Opcode opcode) {
  return field_named(opcode, opcode == Opcode::kScan ? "to_apply" : "step");
}

bool is_tuple_scan(const StatedInstruction& s) {
  const auto& body = field_value<ComputationPtr>(body_field(s.opcode), *s.attributes);
  return body == nullptr || (body->result_shape().is_tuple() && (!s.declared || s.declared->is_tuple()));
}

StatusOr<Id> append_tuple_scan(const StatedInstruction& s, std::span<const Id> operands, Appender out) {
  std::shared_ptr<Attributes> attributes = s.copied_attributes();
  auto& body = field_value<ComputationPtr>(body_field(s.opcode), *attributes);
  const bool tuple_result = s.declared && s.declared->is_tuple();
  if (!body->result_shape().is_tuple()) {
    HILO_ASSIGN_OR_RETURN(body, with_tuple_result(body));
  }
  std::optional<Shape> declared;
  if (s.declared) declared = tuple_result ? *s.declared : Shape::tuple({*s.declared});
  HILO_ASSIGN_OR_RETURN(const Id scan, out.add(s.opcode, operands, std::move(attributes), declared));
  return tuple_result ? StatusOr<Id>(scan) : out.element(scan, 0);
}

// ---- Comparisons

/// Returns whether the comparison's type doesn't apply: floats compare as floats, except for TOTALORDER.
bool is_float_compared_as_integer(const StatedInstruction& s) {
  const ComparisonType type = static_cast<const CompareAttributes&>(*s.attributes).type;
  const bool integer = type == ComparisonType::kSigned || type == ComparisonType::kUnsigned;
  return integer && (is_floating(s.operands[0].element_type()) || is_complex(s.operands[0].element_type()));
}

StatusOr<Id> append_usual_compare(const StatedInstruction& s, std::span<const Id> operands, Appender out) {
  auto attributes = std::make_shared<CompareAttributes>(static_cast<const CompareAttributes&>(*s.attributes));
  attributes->type = ComparisonType::kDefault;
  return out.add(s.opcode, operands, std::move(attributes), s.declared);
}

// ---- Gathers and scatters

/// Names of the lists in a gather or scatter.
struct IndexNames {
  std::string_view removed, index_map, batching, indices_batching;
};
constexpr IndexNames kGatherNames = {"collapsed_slice_dims", "start_index_map", "operand_batching_dims",
                                     "start_indices_batching_dims"};
constexpr IndexNames kScatterNames = {"inserted_window_dims", "scatter_dims_to_operand_dims", "input_batching_dims",
                                      "scatter_indices_batching_dims"};

const IndexNames& names_of(Opcode opcode) { return opcode == Opcode::kGather ? kGatherNames : kScatterNames; }

const Int64List& list_of(const StatedInstruction& s, std::string_view name) {
  return field_value<Int64List>(field_named(s.opcode, name), *s.attributes);
}

/// Returns whether a dimension of the operand is both a batching dimension and an indexed one.
bool has_shared_dimension(const StatedInstruction& s) {
  const IndexNames& names = names_of(s.opcode);
  const Int64List &batching = list_of(s, names.batching), &map = list_of(s, names.index_map);
  return batching.size() == list_of(s, names.indices_batching).size() &&
         std::ranges::any_of(batching, [&](int64_t d) { return contains(map, d); });
}

/// Appends the op without shared dimensions. As in XLA, the index takes precedence: such a dimension is removed from
/// the batching dimensions.
StatusOr<Id> append_without_shared_dimensions(const StatedInstruction& s, std::span<const Id> operands, Appender out) {
  const IndexNames& names = names_of(s.opcode);
  std::shared_ptr<Attributes> attributes = s.copied_attributes();
  const auto list = [&](std::string_view name) -> Int64List& {
    return field_value<Int64List>(field_named(s.opcode, name), *attributes);
  };
  Int64List &batching = list(names.batching), &indices_batching = list(names.indices_batching);
  for (size_t k = batching.size(); k-- > 0;) {
    if (!contains(list(names.index_map), batching[k])) continue;
    list(names.removed).push_back(batching[k]);
    batching.erase(batching.begin() + k);
    indices_batching.erase(indices_batching.begin() + k);
  }
  std::ranges::sort(list(names.removed));
  return out.add(s.opcode, operands, std::move(attributes), s.declared);
}

}  // namespace

bool has_xla_form(const StatedInstruction& s) {
  if (s.opcode == kExtScan) return !is_tuple_scan(s);
  switch (s.opcode) {
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice: return has_vector_start(s);
    case Opcode::kCopy: return s.operands.size() == 1 && s.operands[0].is_tuple();
    case Opcode::kMap:
      return !s.operands.empty() && s.operands[0].is_array() && s.operands[0].rank() > 0 && has_no_dimensions(s);
    case Opcode::kScan: return !is_tuple_scan(s);
    case Opcode::kCompare: return !s.operands.empty() && is_float_compared_as_integer(s);
    case Opcode::kGather:
    case Opcode::kScatter: return has_shared_dimension(s);
    default: return false;
  }
}

StatusOr<InstructionId> append_xla_form(const StatedInstruction& s, std::span<const InstructionId> operands,
                                        ComputationDraft& draft) {
  const Appender out(draft);
  if (s.opcode == kExtScan) return append_tuple_scan(s, operands, out);
  switch (s.opcode) {
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice: return append_with_scalar_starts(s, operands, out);
    case Opcode::kCopy: return append_tuple_copy(s, operands, out);
    case Opcode::kMap: return append_whole_map(s, operands, out);
    case Opcode::kScan: return append_tuple_scan(s, operands, out);
    case Opcode::kCompare: return append_usual_compare(s, operands, out);
    case Opcode::kGather:
    case Opcode::kScatter: return append_without_shared_dimensions(s, operands, out);
    default: return internal_error("no other form");
  }
}

}  // namespace hilo::hlo::text
