// SPDX-License-Identifier: Apache-2.0
#include "hilo/random/support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hilo/numpy/promotion.h"

namespace hilo::random {

ElementType float_type(const char* function, const numpy::Dtype& dtype) {
  const ElementType type = numpy::type_or(function, dtype, default_float());
  if (!is_floating(type)) refuse(function, fmt::format("dtype must be a float type; got {}", element_type_name(type)));
  return type;
}

numpy::Shape shape_or(const char* function, const OptionalDimensions& shape,
                      std::initializer_list<const Array*> parameters) {
  std::vector<int64_t> common;
  for (const Array* parameter : parameters) common = numpy::broadcast_shapes(common, parameter->shape());
  if (!shape) return common;
  if (numpy::broadcast_shapes(common, *shape) != *shape)
    refuse(function, fmt::format("parameters of shape [{}] don't broadcast to the shape [{}]", fmt::join(common, ","),
                                 fmt::join(*shape, ",")));
  return *shape;
}

}  // namespace hilo::random
