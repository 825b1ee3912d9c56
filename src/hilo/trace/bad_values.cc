// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/bad_values.h"

#include <cmath>

#include "hilo/types/literal.h"

namespace hilo {
namespace {

std::string_view bad_value(double x, BadValues kinds) {
  if (kinds.nans && std::isnan(x)) return "nan";
  if (kinds.infs && std::isinf(x)) return "inf";
  return "";
}

/// Real and imaginary parts are checked separately.
template <typename T>
std::string_view bad_value_among(std::span<const std::byte> bytes, BadValues kinds) {
  const std::span values(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  for (const T value : values) {
    if (const std::string_view bad = bad_value(static_cast<double>(value), kinds); !bad.empty()) return bad;
  }
  return "";
}

}  // namespace

std::string_view bad_value_in(const Array& array, BadValues kinds) {
  const ElementType type = array.dtype();
  if (!is_floating(type) && !is_complex(type)) return "";
  if (array.impl().kind == ArrayImpl::Kind::kSpread) {
    for (const BufferPtr& buffer : array.impl().buffers()) {  // other processes check their own buffers
      if (const std::string_view bad = bad_value_in(array_from_buffer(buffer), kinds); !bad.empty()) return bad;
    }
    return "";
  }
  const Literal literal = array.to_literal();
  if (type == ElementType::kF32 || type == ElementType::kC64) return bad_value_among<float>(literal.bytes(), kinds);
  if (type == ElementType::kF64 || type == ElementType::kC128) return bad_value_among<double>(literal.bytes(), kinds);
  for (int64_t i = 0; i < literal.shape().element_count(); ++i) {
    const std::string_view bad = bad_value(element_as_double(literal, i), kinds);
    if (!bad.empty()) return bad;
  }
  return "";
}

bool any_bad_value(std::span<const Array> arrays, BadValues kinds) {
  for (const Array& array : arrays) {
    if (!bad_value_in(array, kinds).empty()) return true;
  }
  return false;
}

}  // namespace hilo
