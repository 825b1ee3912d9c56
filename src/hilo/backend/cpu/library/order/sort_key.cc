// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/order/sort_key.h"

#include <map>

#include "hilo/engine/region_ops.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/reshape.h"

namespace hilo::cpu {
namespace {

using hlo::attributes_of;
using hlo::InstructionId;
using hlo::Opcode;

struct Side {
  int64_t parameter = -1;
  bool zeros = false, nans = false;
};

/// Whether `id` is `value`, or `value` after selects.
bool leads_to(const hlo::Computation& c, InstructionId value, InstructionId id) {
  while (value != id && c.instruction(value).opcode == Opcode::kSelect) value = c.instruction(value).operands[2];
  return value == id;
}

/// Follows select(x == 0, 0, x) and select(x != x, nan, x) down to a parameter. The tested value may be below x: the
/// selects in between change neither zeros nor NaN.
std::optional<Side> side_of(const hlo::Computation& c, InstructionId id) {
  Side side;
  for (int step = 0; step < 8; ++step) {
    const hlo::Instruction& i = c.instruction(id);
    if (i.opcode == Opcode::kParameter) {
      side.parameter = attributes_of<hlo::ParameterAttributes>(i).number;
      return side;
    }
    if (i.opcode != Opcode::kSelect) return std::nullopt;
    const hlo::Instruction& test = c.instruction(i.operands[0]);
    const hlo::Instruction& value = c.instruction(i.operands[1]);
    if (test.opcode != Opcode::kCompare || value.opcode != Opcode::kConstant || !is_floating(i.shape.element_type()))
      return std::nullopt;
    const auto& compare = attributes_of<hlo::CompareAttributes>(test);
    if (compare.type == hlo::ComparisonType::kTotalOrder || !leads_to(c, i.operands[2], test.operands[0]))
      return std::nullopt;
    const hlo::ComparisonDirection direction = compare.direction;
    const double constant = element_as_double(attributes_of<hlo::ConstantAttributes>(value).value, 0);
    if (test.operands[0] == test.operands[1] && direction == hlo::ComparisonDirection::kNe && constant != constant) {
      side.nans = true;
    } else if (direction == hlo::ComparisonDirection::kEq && constant == 0 &&
               c.instruction(test.operands[1]).opcode == Opcode::kConstant &&
               element_as_double(attributes_of<hlo::ConstantAttributes>(c.instruction(test.operands[1])).value, 0) ==
                   0) {
      side.zeros = true;
    } else {
      return std::nullopt;
    }
    id = i.operands[2];
  }
  return std::nullopt;
}

/// Recognizes a comparison of the elements of one operand.
std::optional<SortKey> key_of(const hlo::Computation& c, InstructionId comparison) {
  const hlo::Instruction& root = c.instruction(comparison);
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const auto& compare = attributes_of<hlo::CompareAttributes>(root);
  const bool less = compare.direction == hlo::ComparisonDirection::kLt,
             greater = compare.direction == hlo::ComparisonDirection::kGt;
  if (!less && !greater) return std::nullopt;
  const ElementType type = c.instruction(root.operands[0]).shape.element_type();
  // Narrow types have other positions of signs and NaN: their comparators are called.
  if (element_type_info(type).bits < 8 && type != ElementType::kPred) return std::nullopt;
  if (is_complex(type) || (is_floating(type) && element_type_info(type).bits < 16)) return std::nullopt;
  const std::optional<Side> left = side_of(c, root.operands[0]), right = side_of(c, root.operands[1]);
  if (!left || !right || left->zeros != right->zeros || left->nans != right->nans) return std::nullopt;
  SortKey key;
  key.type = type;
  key.descending = greater;
  if (left->parameter % 2 == 0 && right->parameter == left->parameter + 1) {
    key.operand = left->parameter / 2;
  } else if (right->parameter % 2 == 0 && left->parameter == right->parameter + 1) {
    key.operand = right->parameter / 2;
    key.descending = !key.descending;
  } else {
    return std::nullopt;
  }
  // Without total order, zeros compare equal, and NaN isn't before any number.
  const bool total = compare.type == hlo::ComparisonType::kTotalOrder;
  key.equal_zeros = left->zeros || !total;
  key.equal_nans = left->nans || !total;
  key.loose_nans = is_floating(type) && !left->nans && !total;
  return key;
}

/// Whether two values of a comparator are the same function, each of its own element: `first` has the parameters of
/// even or of odd numbers, `second` the others.
class Twins {
 public:
  explicit Twins(const hlo::Computation& c) : c_(c) {}

  bool match(InstructionId first, InstructionId second) {
    if (const auto known = twins_.find(first); known != twins_.end()) return known->second == second;
    const hlo::Instruction &a = c_.instruction(first), &b = c_.instruction(second);
    if (a.opcode != b.opcode || a.shape != b.shape || a.operands.size() != b.operands.size()) return false;
    if (a.opcode == Opcode::kParameter) {
      const int64_t p = attributes_of<hlo::ParameterAttributes>(a).number;
      const int64_t q = attributes_of<hlo::ParameterAttributes>(b).number;
      if (p / 2 != q / 2 || p == q || p % 2 != odd_.value_or(p % 2)) return false;
      odd_ = p % 2;
    } else if (a.attributes != nullptr && !hlo::fields_equal(a.def().attributes.fields, *a.attributes, *b.attributes)) {
      return false;
    }
    twins_[first] = second;
    for (size_t k = 0; k < a.operands.size(); ++k) {
      if (!match(a.operands[k], b.operands[k])) return false;
    }
    return true;
  }
  bool first_is_odd() const { return odd_ == 1; }
  bool uses(InstructionId id) const { return twins_.contains(id); }

 private:
  const hlo::Computation& c_;
  std::map<InstructionId, InstructionId> twins_;
  std::optional<int64_t> odd_;
};

InstructionId append_parameter(hlo::ComputationDraft& draft, ElementType type, int64_t number) {
  auto attributes = std::make_shared<hlo::ParameterAttributes>();
  attributes->number = number;
  return draft.append(Opcode::kParameter, Shape::scalar(type), {}, std::move(attributes));
}

/// Returns the first value as a function of elements.
StatusOr<hlo::ComputationPtr> function_of(const hlo::Computation& c, const Twins& twins, InstructionId root,
                                          std::span<const ElementType> operands) {
  hlo::ComputationDraft draft("key");
  std::vector<InstructionId> parameters, copies(c.size());
  for (size_t k = 0; k < operands.size(); ++k) parameters.push_back(append_parameter(draft, operands[k], k));
  for (const hlo::Instruction& i : c.instructions()) {
    if (!twins.uses(i.id)) continue;
    if (i.opcode == Opcode::kParameter) {
      copies[i.id] = parameters[attributes_of<hlo::ParameterAttributes>(i).number / 2];
      continue;
    }
    std::vector<InstructionId> from;
    for (const InstructionId o : i.operands) from.push_back(copies[o]);
    copies[i.id] = draft.append_copy(i, from);
  }
  return std::move(draft).finish(copies[root]);
}

}  // namespace

std::optional<KeyFunction> key_function_of(const hlo::Computation& c, std::span<const ElementType> operands) {
  constexpr InstructionId kMaxSize = 256;  // matching is recursive
  const hlo::Instruction& root = c.root();
  if (root.opcode != Opcode::kCompare || c.size() > kMaxSize) return std::nullopt;
  Twins twins(c);
  if (!twins.match(root.operands[0], root.operands[1])) return std::nullopt;
  const ElementType type = c.instruction(root.operands[0]).shape.element_type();
  hlo::ComputationDraft plain("order");
  const InstructionId compared[] = {append_parameter(plain, type, 0), append_parameter(plain, type, 1)};
  const StatusOr<hlo::ComputationPtr> order = [&] {
    const InstructionId compare = plain.append_copy(root, compared);
    return std::move(plain).finish(compare);
  }();
  const StatusOr<hlo::ComputationPtr> key = function_of(c, twins, root.operands[0], operands);
  std::optional<SortKey> sort_key = order.ok() ? sort_key_of(**order) : std::nullopt;
  if (!sort_key || !key.ok()) return std::nullopt;
  if (twins.first_is_odd()) sort_key->descending = !sort_key->descending;
  return KeyFunction{*key, *sort_key};
}

namespace {

/// Whether `id` tests that the elements that `less` compares are equal in its order. Without total order, NaN isn't
/// equal to itself.
bool tests_equality(const hlo::Computation& c, InstructionId id, InstructionId less) {
  const hlo::Instruction &test = c.instruction(id), &order = c.instruction(less);
  if (test.opcode != Opcode::kCompare) return false;
  const auto& compare = attributes_of<hlo::CompareAttributes>(test);
  const bool is_total = compare.type == hlo::ComparisonType::kTotalOrder;
  if (compare.direction != hlo::ComparisonDirection::kEq ||
      compare.type != attributes_of<hlo::CompareAttributes>(order).type ||
      (is_floating(c.instruction(test.operands[0]).shape.element_type()) && !is_total))
    return false;
  const auto same = [&](InstructionId a, InstructionId b) {
    const std::optional<Side> x = side_of(c, a), y = side_of(c, b);
    return x && y && x->parameter == y->parameter && x->zeros == y->zeros && x->nans == y->nans;
  };
  const InstructionId x = test.operands[0], y = test.operands[1];
  return (same(x, order.operands[0]) && same(y, order.operands[1])) ||
         (same(x, order.operands[1]) && same(y, order.operands[0]));
}

}  // namespace

std::vector<SortKey> sort_keys_of(const hlo::Computation& c) {
  std::vector<SortKey> keys;
  for (InstructionId at = c.root().id;;) {
    const hlo::Instruction& i = c.instruction(at);
    const bool is_last = i.opcode == Opcode::kCompare;
    if (!is_last && i.opcode != Opcode::kOr) return {};
    bool found = false;
    for (size_t k = 0; k < (is_last ? 1 : 2) && !found; ++k) {
      const InstructionId less = is_last ? at : i.operands[k];
      const std::optional<SortKey> key = key_of(c, less);
      if (!key || key->loose_nans) continue;
      if (is_last) {
        keys.push_back(*key);
        return keys;
      }
      const hlo::Instruction& rest = c.instruction(i.operands[1 - k]);
      if (rest.opcode != Opcode::kAnd) continue;
      for (size_t e = 0; e < 2 && !found; ++e) {
        if (!tests_equality(c, rest.operands[e], less)) continue;
        keys.push_back(*key);
        at = rest.operands[1 - e];
        found = true;
      }
    }
    if (!found) return {};
  }
}

std::optional<SortKey> sort_key_of(const hlo::Computation& c) { return key_of(c, c.root().id); }

}  // namespace hilo::cpu
