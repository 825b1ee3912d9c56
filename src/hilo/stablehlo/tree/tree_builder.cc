// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/tree/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "hilo/base/sizes.h"
#include "hilo/stablehlo/tree/attribute_rows.h"
#include "hilo/stablehlo/tree/mlir_names.h"

namespace hilo::stablehlo {
namespace {

AttributeForm form_of(std::string_view name) {
  const AttributeRow* const row = find_attribute_row(name);
  return row == nullptr ? AttributeForm::kDictionary : row->form;
}

}  // namespace

TypeId TreeBuilder::add_type(Type type) {
  const auto [known, is_new] = types_.emplace(type.spelled, static_cast<TypeId>(tree.types.size()));
  if (is_new) tree.types.push_back(std::move(type));
  return known->second;
}

TypeId TreeBuilder::element_type(ElementType type, std::string_view spelled) {
  Type made;
  made.kind = TypeKind::kElement;
  made.element = type;
  made.spelled = spelled;
  return add_type(std::move(made));
}

TypeId TreeBuilder::type(const Shape& shape) {
  Type made;
  if (shape.is_tuple()) {
    made.kind = TypeKind::kTuple;
    made.spelled = "tuple<";
    for (int64_t i = 0; i < shape.tuple_size(); ++i) {
      made.parts.push_back(type(shape.tuple_element(i)));
      made.spelled += (i == 0 ? "" : ", ") + tree.types[made.parts.back()].spelled;
    }
    made.spelled += ">";
  } else if (!shape.is_array()) {
    made.kind = TypeKind::kToken;
    made.spelled = "!stablehlo.token";
  } else {
    made.kind = TypeKind::kTensor;
    made.element = shape.element_type();
    made.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
    made.spelled = "tensor<";
    for (int64_t size : made.dimensions) made.spelled += fmt::format("{}x", size);
    made.spelled += element_type_to_mlir(made.element) + ">";
  }
  return add_type(std::move(made));
}

TypeId TreeBuilder::function_type(std::span<const TypeId> inputs, std::span<const TypeId> results) {
  const auto list = [&](std::span<const TypeId> types) {
    std::string text = "(";
    for (size_t i = 0; i < types.size(); ++i) text += (i == 0 ? "" : ", ") + tree.types[types[i]].spelled;
    return text + ")";
  };
  Type made;
  made.kind = TypeKind::kFunction;
  made.input_count = size32(inputs);
  made.parts.assign(inputs.begin(), inputs.end());
  made.parts.insert(made.parts.end(), results.begin(), results.end());
  made.spelled = list(inputs) + " -> " + list(results);
  return add_type(std::move(made));
}

AttributeId TreeBuilder::number(AttributeKind kind, int64_t value, TypeId type) {
  Attribute made;
  made.kind = kind;
  made.integer = value;
  made.type = type;
  return tree.add(made);
}

AttributeId TreeBuilder::integer32(int64_t value) {
  return number(AttributeKind::kInteger, value, element_type(ElementType::kS32, "i32"));
}

AttributeId TreeBuilder::floating(double value) {
  Attribute made;
  made.kind = AttributeKind::kFloat;
  made.number = value;
  made.type = element_type(ElementType::kF32, "f32");
  return tree.add(made);
}

AttributeId TreeBuilder::dictionary(std::vector<NamedAttribute> entries, std::string_view name) {
  for (NamedAttribute& entry : entries) entry.name = tree.intern(entry.name);
  return tree.add_dictionary(entries, name);
}

AttributeId TreeBuilder::elements(const Literal& value) {
  Attribute made;
  made.kind = AttributeKind::kElements;
  made.type = type(value.shape());
  made.literal = tree.keep(value);
  return tree.add(made);
}

AttributeId TreeBuilder::matrix(const std::vector<std::vector<int64_t>>& rows, size_t width) {
  for (const auto& row : rows) width = std::max(width, row.size());
  const int64_t sizes[] = {std::ssize(rows), static_cast<int64_t>(width)};
  Literal literal(Shape::array(ElementType::kS64, sizes));
  const std::span<int64_t> out = literal.data<int64_t>();
  std::fill(out.begin(), out.end(), -1);
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(),
              out.begin() + std::ssize(out) / std::ssize(rows) * static_cast<int64_t>(i));
  return elements(literal);
}

void TreeBuilder::put_attribute(NewOperation& operation, std::string_view name, AttributeId value) {
  operation.attributes.push_back({tree.intern(name), value});
}

void TreeBuilder::put(NewOperation& operation, std::string_view name, int64_t value) {
  const AttributeForm form = form_of(name);
  if (form == AttributeForm::kBool) return put_attribute(operation, name, boolean(value != 0));
  if (form == AttributeForm::kUnit) {
    if (value != 0) put_attribute(operation, name, tree.add({}));
    return;
  }
  const bool narrow = form == AttributeForm::kInteger32 || form == AttributeForm::kApiVersion;
  put_attribute(operation, name, narrow ? integer32(value) : integer(value));
}

void TreeBuilder::put(NewOperation& operation, std::string_view name, std::vector<int64_t> values) {
  if (form_of(name) == AttributeForm::kInteger64 && values.size() == 1) return put(operation, name, values[0]);
  put_attribute(operation, name, tree.add_integers(values));
}

void TreeBuilder::put(NewOperation& operation, std::string_view name, std::string_view word) {
  const AttributeForm form = form_of(name);
  const AttributeKind kind = form == AttributeForm::kWord     ? AttributeKind::kWord
                             : form == AttributeForm::kSymbol ? AttributeKind::kSymbol
                                                              : AttributeKind::kString;
  put_attribute(operation, name, tree.add_text(kind, word));
}

OperationId TreeBuilder::begin(const NewOperation& operation, LocationId location) {
  const auto id = static_cast<OperationId>(tree.operations.size());
  Operation made;
  made.name = tree.intern(operation.name);
  made.location = location;
  const auto append = [](auto& pool, const auto& list) {
    const Range range{size32(pool), size32(list)};
    pool.insert(pool.end(), list.begin(), list.end());
    return range;
  };
  made.operands = append(tree.operand_pool, operation.operands);
  made.attributes = append(tree.attribute_pool, operation.attributes);
  made.results = {size32(tree.values), size32(operation.results)};
  for (TypeId type : operation.results) tree.values.push_back({type, id});
  tree.operations.push_back(made);
  return id;
}

void TreeBuilder::end(OperationId id, std::span<const Region> regions, RegionId region) {
  Operation& operation = tree.operations[id];
  operation.regions = {size32(tree.regions), size32(regions)};
  tree.regions.insert(tree.regions.end(), regions.begin(), regions.end());
  operation.nested_end = static_cast<OperationId>(tree.operations.size());
  if (region != kNone) tree.append(region, id);
}

RegionId TreeBuilder::begin_region() {
  Region region;
  region.arguments.begin = size32(tree.values);
  tree.regions.push_back(region);
  return static_cast<RegionId>(tree.regions.size() - 1);
}

ValueId TreeBuilder::argument(RegionId region, TypeId type) {
  tree.values.push_back({type, kNone});
  ++tree.regions[region].arguments.count;
  return static_cast<ValueId>(tree.values.size() - 1);
}

}  // namespace hilo::stablehlo
