// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/module_tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo::stablehlo {
namespace {

constexpr int64_t kMaxIntegers = 1 << 20;

StatusOr<std::vector<int64_t>> integers_of_literal(const ModuleTree& tree, const Attribute& attribute) {
  const Literal& literal = *attribute.literal;
  const ElementType type = literal.shape().element_type();
  if (!is_integer(type) && type != ElementType::kPred)
    return invalid_argument("got a tensor of another type; wanted integers");
  int64_t count = 1;
  for (int64_t size : tree.types[attribute.type].dimensions) {
    if (size < 0 || (size > 0 && count > kMaxIntegers / size))
      return resource_exhausted("a list of over a million integers");
    count *= size;
  }
  const bool splat = literal.shape().is_scalar();
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = visit_element_type(
        type,
        [&]<typename T>() -> int64_t {
          if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(literal.data<T>()[splat ? 0 : i]);
          return 0;
        },
        [&]() -> int64_t { return literal.data<int8_t>()[splat ? 0 : i]; });
  }
  return values;
}

}  // namespace

const Attribute* ModuleTree::find(const Attribute& dictionary, std::string_view name) const {
  for (const NamedAttribute& entry : dictionary.entries) {
    if (entry.name == name) return &attributes[entry.value];
  }
  return nullptr;
}

const Attribute* ModuleTree::find(const Operation& operation, std::string_view name) const {
  for (const NamedAttribute& own : attributes_of(operation)) {
    if (own.name == name) return &attributes[own.value];
  }
  for (const NamedAttribute& own : attributes_of(operation)) {
    const Attribute& value = attributes[own.value];
    if (value.kind != AttributeKind::kDictionary || value.text.empty()) continue;
    if (const Attribute* field = find(value, name)) return field;
  }
  return nullptr;
}

std::string_view ModuleTree::intern(std::string_view text) {
  const auto known = names.find(text);
  return known != names.end() ? *known : *names.emplace(keep(text)).first;
}

AttributeId ModuleTree::add(const Attribute& attribute) {
  attributes.push_back(attribute);
  return static_cast<AttributeId>(attributes.size() - 1);
}

AttributeId ModuleTree::add_text(AttributeKind kind, std::string_view text) {
  Attribute made;
  made.kind = kind;
  made.text = keep(text);
  return add(made);
}

AttributeId ModuleTree::add_integers(std::span<const int64_t> integers) {
  Attribute made;
  made.kind = AttributeKind::kIntegers;
  made.integers = keep(integers);
  return add(made);
}

AttributeId ModuleTree::add_array(std::span<const AttributeId> elements) {
  Attribute made;
  made.kind = AttributeKind::kArray;
  made.elements = keep(elements);
  return add(made);
}

AttributeId ModuleTree::add_dictionary(std::span<const NamedAttribute> entries, std::string_view name) {
  Attribute made;
  made.kind = AttributeKind::kDictionary;
  made.text = keep(name);
  made.entries = keep(entries);
  return add(made);
}

void ModuleTree::append(RegionId region, OperationId operation) {
  Region& r = regions[region];
  (r.first == kNone ? r.first : operations[r.last].next) = operation;
  r.last = operation;
}

StatusOr<std::vector<int64_t>> integers_of(const ModuleTree& tree, const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kBool:
    case AttributeKind::kInteger: return std::vector<int64_t>{attribute.integer};
    case AttributeKind::kIntegers: return std::vector<int64_t>(attribute.integers.begin(), attribute.integers.end());
    case AttributeKind::kElements: return integers_of_literal(tree, attribute);
    case AttributeKind::kArray: {
      std::vector<int64_t> values;
      for (AttributeId id : attribute.elements) {
        const Attribute& element = tree.attributes[id];
        if (element.kind != AttributeKind::kInteger && element.kind != AttributeKind::kBool)
          return invalid_argument("got a list of other attributes; wanted integers");
        values.push_back(element.integer);
      }
      return values;
    }
    case AttributeKind::kUnit:
    case AttributeKind::kFloat:
    case AttributeKind::kString:
    case AttributeKind::kSymbol:
    case AttributeKind::kWord:
    case AttributeKind::kType:
    case AttributeKind::kDictionary:
    case AttributeKind::kOther: break;
  }
  return invalid_argument("got another attribute; wanted integers");
}

Status set_bounds(Type& type, std::span<const int64_t> bounds) {
  if (bounds.empty()) return ok_status();
  if (bounds.size() != type.dimensions.size())
    return invalid_argument(fmt::format("got {} bounds; wanted {}", bounds.size(), type.dimensions.size()));
  std::vector<int64_t> kept(bounds.size(), kDynamic);
  bool any = false;
  for (size_t d = 0; d < bounds.size(); ++d) {
    if (bounds[d] < 0 || type.dimensions[d] != kDynamic) continue;
    type.dimensions[d] = kept[d] = bounds[d];
    any = true;
  }
  if (any) type.bounds = std::move(kept);
  return ok_status();
}

int64_t element_bytes(ElementType type) { return element_size_bytes(type); }

bool same_type(const ModuleTree& tree, TypeId a, TypeId b) {
  if (a == b) return true;
  const Type &x = tree.types[a], &y = tree.types[b];
  if (x.kind == TypeKind::kOther || y.kind == TypeKind::kOther) return x.kind == y.kind && x.spelled == y.spelled;
  return x.kind == y.kind && x.element == y.element && x.input_count == y.input_count && x.dimensions == y.dimensions &&
         x.bounds == y.bounds && x.six_bits == y.six_bits &&
         (x.quantization == nullptr) == (y.quantization == nullptr) &&
         std::ranges::equal(x.parts, y.parts, [&](TypeId p, TypeId q) { return same_type(tree, p, q); });
}

StatusOr<Shape> shape_of(const ModuleTree& tree, TypeId id) {
  const Type& type = tree.types[id];
  switch (type.kind) {
    case TypeKind::kToken: return Shape::token();
    case TypeKind::kTensor: {
      for (int64_t size : type.dimensions) {
        if (size == kDynamic) {
          return unimplemented(
              fmt::format("type {} has an unknown dimension; wanted static shapes. Hint: export for concrete shapes",
                          type.spelled));
        }
      }
      StatusOr<Shape> shape = Shape::make_array(type.element, type.dimensions);
      return shape.ok() ? std::move(shape) : shape.status().with_context(type.spelled);
    }
    case TypeKind::kTuple: {
      std::vector<Shape> parts;
      for (TypeId part : type.parts) {
        HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(tree, part));
        parts.push_back(shape);
      }
      return Shape::tuple(parts);
    }
    case TypeKind::kElement: return Shape::scalar(type.element);  // single numbers, of dialect arith
    case TypeKind::kFunction:
    case TypeKind::kNoType:
    case TypeKind::kOther: break;
  }
  return unimplemented(fmt::format("type {} has no counterpart in HLO", type.spelled));
}

}  // namespace hilo::stablehlo
