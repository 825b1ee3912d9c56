// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/printing.h"

#include <fmt/format.h>

#include <ostream>

#include "hilo/trace/trace.h"

namespace hilo::numpy {
namespace {

/// Returns NumPy's name of a type: "float32".
std::string type_text(ElementType type) {
  switch (type) {
    case ElementType::kPred: return "bool";
    case ElementType::kBf16: return "bfloat16";
#define HILO_NARROW_TYPE(enumerator, name, twin, ...) \
  case ElementType::k##enumerator: return #twin;
#include "hilo/types/element_types.inc"
    default: break;
  }
  const char* kind = is_complex(type)          ? "complex"
                     : is_floating(type)       ? "float"
                     : is_signed_integer(type) ? "int"
                                               : "uint";
  return fmt::format("{}{}", kind, element_type_info(type).bits);
}

PrintOptions changed(std::string_view function, PrintOptions options, const PrintOptionChanges& changes) {
  options.precision = changes.precision.value_or(options.precision);
  options.threshold = changes.threshold.value_or(options.threshold);
  options.edgeitems = changes.edgeitems.value_or(options.edgeitems);
  options.suppress = changes.suppress.value_or(options.suppress);
  if (options.precision < 0 || options.threshold < 0 || options.edgeitems < 0)
    or_throw(
        invalid_argument(fmt::format("{}: got precision {}, threshold {}, edgeitems {}; wanted numbers of at least 0",
                                     at_user_line(function), options.precision, options.threshold, options.edgeitems)));
  return options;
}
PrintOptions changed(std::string_view function, const ArrayTextOptions& options) {
  return changed(function, print_options(), {.precision = options.precision, .suppress = options.suppress_small});
}

}  // namespace

void set_printoptions(const PrintOptionChanges& changes, std::source_location line) {
  const UserLocation here(line);
  print_options() = changed("set_printoptions", print_options(), changes);
}

printoptions::printoptions(const PrintOptionChanges& changes, std::source_location line) : before_(print_options()) {
  const UserLocation here(line);
  print_options() = changed("printoptions", before_, changes);
}

std::string array_str(const Operand& a, const ArrayTextOptions& options) {
  const UserLocation here(a.location());
  if (!is_concrete(a.array())) return a.array().to_string();
  return numpy_text(a.array().to_literal(), changed("array_str", options));
}

std::string array_repr(const Operand& arr, const ArrayTextOptions& options) {
  const UserLocation here(arr.location());
  const Array& x = arr.array();
  if (!is_concrete(x)) return x.to_string();
  constexpr std::string_view kHead = "Array(";
  const std::string text = numpy_text(x.to_literal(), changed("array_repr", options), ", ", kHead.size());
  const std::string shape =
      x.size() == 0 && x.ndim() > 1 ? fmt::format(", shape=({})", fmt::join(x.shape(), ", ")) : "";
  return fmt::format("{}{}{}, dtype={}{})", kHead, text, shape, type_text(x.dtype()),
                     x.weak_type() ? ", weak_type=True" : "");
}

}  // namespace hilo::numpy

namespace hilo {

std::ostream& operator<<(std::ostream& out, std::span<const int64_t> shape) {
  return out << fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}
std::ostream& operator<<(std::ostream& out, const std::vector<Array>& arrays) {
  out << "[";
  for (size_t i = 0; i < arrays.size(); ++i) out << (i == 0 ? "" : ", ") << arrays[i];
  return out << "]";
}
std::ostream& operator<<(std::ostream& out, ElementType type) { return out << numpy::type_text(type); }

}  // namespace hilo
