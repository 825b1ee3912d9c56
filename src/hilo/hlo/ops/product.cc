// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/product.h"

#include <fmt/format.h>

namespace hilo::hlo {
namespace {

/// Returns the wider of two types of one class. dot_general_c13 and convolution_c27 require equal types; XLA allows
/// different widths.
StatusOr<ElementType> common_type(const Shape& lhs, const Shape& rhs) {
  const ElementTypeInfo& l = element_type_info(lhs.element_type());
  const ElementTypeInfo& r = element_type_info(rhs.element_type());
  if (l.element_class != r.element_class) {
    return invalid_argument(fmt::format("element types differ; lhs {}, rhs {}. Hint: convert one operand",
                                        lhs.to_string(), rhs.to_string()));
  }
  return l.bits >= r.bits ? l.type : r.type;
}

}  // namespace

Status check_precision(const StringList& precision) {
  if (!precision.empty() && precision.size() != 2) {
    return invalid_argument(
        fmt::format("operand_precision: got {} values, wanted 2, one per operand", precision.size()));
  }
  for (const std::string& p : precision) {
    if (p == "default" || p == "high" || p == "highest") continue;
    return invalid_argument(fmt::format("operand_precision: got '{}', wanted default, high or highest", p));
  }
  return ok_status();
}

StatusOr<ElementType> product_type(const Shape& lhs, const Shape& rhs, const Shape* declared) {
  HILO_ASSIGN_OR_RETURN(const ElementType operands, common_type(lhs, rhs));
  return declared == nullptr || !declared->is_array() ? operands : declared->element_type();
}

StatusOr<ElementType> sum_type(const Shape& lhs, const Shape& rhs, ElementType result) {
  HILO_ASSIGN_OR_RETURN(const ElementType operands, common_type(lhs, rhs));
  const ElementTypeInfo& from = element_type_info(operands);
  const ElementTypeInfo& to = element_type_info(result);
  const bool same_class = from.element_class == to.element_class;
  const bool exact_to_wider =
      (is_integer(from.type) || from.type == ElementType::kPred) && to.type != ElementType::kPred;
  const bool float_to_complex = is_floating(from.type) && is_complex(to.type);
  const bool narrower = !is_floating(from.type) && to.bits < from.bits;
  return (same_class || exact_to_wider || float_to_complex) && !narrower ? to.type : from.type;
}

}  // namespace hilo::hlo
