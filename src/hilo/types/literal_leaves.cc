// SPDX-License-Identifier: Apache-2.0
#include "hilo/types/literal_leaves.h"

namespace hilo {
namespace {

void flatten(const Literal& value, std::vector<Literal>& leaves) {  // nesting of shapes bounds the recursion
  if (!value.is_tuple()) return leaves.push_back(value);
  for (const Literal& element : value.elements()) flatten(element, leaves);
}

}  // namespace

std::vector<Literal> leaves_of(const Literal& value) { return leaves_of(std::span<const Literal>(&value, 1)); }

std::vector<Literal> leaves_of(std::span<const Literal> values) {
  std::vector<Literal> leaves;
  for (const Literal& value : values) flatten(value, leaves);
  return leaves;
}

Literal packed(const Shape& shape, std::span<const Literal> leaves, size_t& next) {
  if (!shape.is_tuple()) return leaves[next++];
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_elements()) elements.push_back(packed(element, leaves, next));
  return Literal::tuple(std::move(elements));
}

}  // namespace hilo
