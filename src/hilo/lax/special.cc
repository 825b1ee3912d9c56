// SPDX-License-Identifier: Apache-2.0
#include "hilo/lax/special.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/hlo/ops/extensions.h"
#include "hilo/hlo/ops/sort.h"
#include "hilo/hlo/ops/top_k.h"
#include "hilo/trace/ops.h"

namespace hilo::lax {

#define HILO_LAX_1(enumerator, name)                     \
  Array name(const Operand& x) {                         \
    const UserLocation here(x.location());               \
    return bind_one(hlo::kExt##enumerator, {x.array()}); \
  }
#define HILO_LAX_2(enumerator, name)                                \
  Array name(const Operand& x, const Operand& y) {                  \
    const UserLocation here(x.location());                          \
    return bind_one(hlo::kExt##enumerator, {x.array(), y.array()}); \
  }
#define HILO_EXTENSION(...)
#define HILO_EXTENSION_ELEMENTWISE(enumerator, name, arity, ...) HILO_LAX_##arity(enumerator, name)
#include "hilo/hlo/ops/extensions.inc"
#undef HILO_LAX_1
#undef HILO_LAX_2

TopK top_k(const Operand& x, int64_t k, int64_t axis) {
  const UserLocation here(x.location());
  const Array& array = x.array();
  const int64_t rank = array.ndim(), at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) {
    or_throw(invalid_argument(fmt::format("top_k ({}): axis {} is out of range for {}", UserLocation::describe(), axis,
                                          array.aval_shape().to_string())));
  }
  auto attributes = std::make_shared<hlo::TopKAttributes>();
  attributes->k = k;
  std::vector<int64_t> last = ops::all_dimensions(rank);
  std::rotate(last.begin() + at, last.begin() + at + 1, last.end());
  std::vector<int64_t> back = ops::all_dimensions(rank);
  std::rotate(back.begin() + at, back.end() - 1, back.end());
  const bool moved = at != rank - 1;
  const std::vector<Array> found =
      bind({hlo::Opcode::kTopK, {moved ? ops::transpose(array, last) : array}, std::move(attributes), std::nullopt});
  if (!moved) return {found[0], found[1]};
  return {ops::transpose(found[0], back), ops::transpose(found[1], back)};
}

Array sort_key_value(const Operand& keys, const Operand& values, int64_t axis) {
  const UserLocation here(keys.location());
  hlo::Builder b("compare");
  const Shape key = Shape::scalar(keys.array().dtype());
  const Shape value = Shape::scalar(values.array().dtype());
  const hlo::InstructionId x = b.parameter(key), y = b.parameter(key);
  b.parameter(value);
  b.parameter(value);
  auto compare = std::make_shared<hlo::CompareAttributes>();
  compare->direction = hlo::ComparisonDirection::kLt;
  const hlo::InstructionId root = or_throw(b.add(hlo::Opcode::kCompare, {x, y}, std::move(compare)));
  auto sort = std::make_shared<hlo::SortAttributes>();
  sort->dimensions = {axis};
  sort->is_stable = true;
  sort->to_apply = or_throw(std::move(b).build(root));
  return bind({hlo::Opcode::kSort, {keys.array(), values.array()}, std::move(sort), std::nullopt})[1];
}

}  // namespace hilo::lax
