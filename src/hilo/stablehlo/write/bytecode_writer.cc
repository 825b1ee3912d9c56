// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/write/bytecode_writer.h"

#include <fmt/format.h>

#include "hilo/base/out_of_memory.h"
#include "hilo/stablehlo/tree/vhlo.h"
#include "hilo/stablehlo/write/bytecode_tables.h"
#include "hilo/stablehlo/write/write_tree.h"

namespace hilo::stablehlo {
namespace {

/// Calls `use` with each name of a list separated by blanks.
template <typename F>
void each_name(std::string_view names, F use) {
  while (!names.empty()) {
    const size_t blank = names.find(' ');
    use(names.substr(0, blank));
    names.remove_prefix(blank == std::string_view::npos ? names.size() : blank + 1);
  }
}

class BytecodeWriter {
 public:
  explicit BytecodeWriter(const ModuleTree& tree) : tree_(tree), tables_(tree), numbers_(tree.values.size()) {}

  StatusOr<std::string> write();

 private:
  void write_operation(ByteWriter& out, OperationId id, uint32_t next);
  void write_region(ByteWriter& out, const Region& region, uint32_t next);
  /// Returns the number of the operation's properties. `rest` gets the attributes that aren't properties.
  uint64_t properties(const Operation& operation, const BytecodeOperation& known, std::vector<NamedAttribute>& rest);
  uint64_t operation_name(const BytecodeOperation& known);
  std::string dialect_section();
  std::string string_section() const;

  const ModuleTree& tree_;
  BytecodeTables tables_;
  std::vector<uint32_t> numbers_;  ///< number of each value in its function
  std::unordered_map<std::string, uint64_t> property_numbers_;
  std::vector<const std::string*> properties_;
  std::unordered_map<const BytecodeOperation*, uint64_t> names_;
  std::vector<const BytecodeOperation*> operations_;  ///< the module's operation first
};

uint64_t BytecodeWriter::operation_name(const BytecodeOperation& known) {
  const auto [number, is_new] = names_.emplace(&known, operations_.size());
  if (is_new) operations_.push_back(&known);
  return number->second;
}

uint64_t BytecodeWriter::properties(const Operation& operation, const BytecodeOperation& known,
                                    std::vector<NamedAttribute>& rest) {
  ByteWriter bytes;
  each_name(known.properties, [&](std::string_view name) {
    if (name.ends_with('?')) {  // the module's name and visibility
      const Attribute* const attribute = tree_.find(operation, name.substr(0, name.size() - 1));
      bytes.number(attribute == nullptr ? 0 : tables_.name(attribute->text) << 1 | 1);
      return;
    }
    const AttributeRow* const row = find_attribute_row(name);
    if (row == nullptr) return tables_.fail(fmt::format("this version can't write attribute '{}'", name));
    bytes.number(tables_.property(*row, tree_.find(operation, name)));
  });
  const std::string names = fmt::format(" {} ", known.properties);
  for (uint32_t i = 0; i < operation.attributes.count; ++i) {
    const NamedAttribute& attribute = tree_.attribute_pool[operation.attributes.begin + i];
    const Attribute& value = tree_.attributes[attribute.value];
    const bool spread = value.kind == AttributeKind::kDictionary && !value.text.empty();  // its fields are properties
    if (!spread && names.find(fmt::format(" {} ", attribute.name)) == std::string::npos &&
        names.find(fmt::format(" {}? ", attribute.name)) == std::string::npos)
      rest.push_back(attribute);
  }
  const auto [number, is_new] = property_numbers_.emplace(bytes.take(), properties_.size());
  if (is_new) properties_.push_back(&number->first);
  return number->second;
}

void BytecodeWriter::write_operation(ByteWriter& out, OperationId id, uint32_t next) {
  const Operation& operation = tree_.operations[id];
  const BytecodeOperation* const known = find_written_operation(operation.name);
  if (known == nullptr)
    return tables_.fail(fmt::format("{}: VHLO {} has no such operation", operation.name, kWrittenVhlo));
  std::vector<NamedAttribute> rest;
  const uint64_t own =
      known->properties.empty() && operation.attributes.count == 0 ? 0 : properties(operation, *known, rest);
  const uint64_t dictionary = rest.empty() ? 0 : tables_.dictionary(rest);
  out.number(operation_name(*known));
  uint64_t mask = 0;
  if (!rest.empty()) mask |= kHasAttributes;
  if (!known->properties.empty()) mask |= kHasProperties;
  if (operation.results.count > 0) mask |= kHasResults;
  if (operation.operands.count > 0) mask |= kHasOperands;
  if (operation.regions.count > 0) mask |= kHasRegions;
  out.byte(mask);
  out.number(tables_.location(operation.location));
  if ((mask & kHasAttributes) != 0) out.number(dictionary);
  if ((mask & kHasProperties) != 0) out.number(own);
  if ((mask & kHasResults) != 0) {
    out.number(operation.results.count);
    for (uint32_t i = 0; i < operation.results.count; ++i)
      out.number(tables_.type(tree_.values[tree_.result(operation, i)].type));
  }
  if ((mask & kHasOperands) != 0) {
    out.number(operation.operands.count);
    for (uint32_t i = 0; i < operation.operands.count; ++i) out.number(numbers_[tree_.operand(operation, i)]);
  }
  if ((mask & kHasRegions) == 0) return;
  const bool isolated = operation.name == "builtin.module" || operation.name == "func.func";
  out.number(uint64_t{operation.regions.count} << 1 | (isolated ? 1 : 0));
  ByteWriter section;
  for (uint32_t i = 0; i < operation.regions.count; ++i)
    write_region(isolated ? section : out, tree_.regions[operation.regions.begin + i], isolated ? 0 : next);
  if (isolated) out.section(kIr, section.data());
}

/// Writes a region. Its values have numbers from `next` on: first its arguments, then results in order.
void BytecodeWriter::write_region(ByteWriter& out, const Region& region, uint32_t next) {
  uint64_t operations = 0;
  for (uint32_t i = 0; i < region.arguments.count; ++i) numbers_[region.arguments.begin + i] = next++;
  uint32_t values = region.arguments.count;
  for (OperationId id = region.first; id != kNone; id = tree_.operations[id].next) {
    const Operation& operation = tree_.operations[id];
    for (uint32_t i = 0; i < operation.results.count; ++i) numbers_[tree_.result(operation, i)] = next++;
    values += operation.results.count;
    ++operations;
  }
  out.number(1);  // one block
  out.number(values);
  out.number(operations << 1 | (region.arguments.count > 0 ? 1 : 0));
  if (region.arguments.count > 0) {
    out.number(region.arguments.count);
    for (uint32_t i = 0; i < region.arguments.count; ++i)
      out.number(tables_.type(tree_.values[region.arguments.begin + i].type) << 1);  // lowest bit: with a location
    out.byte(0);                                                                     // no orders of uses
  }
  for (OperationId id = region.first; id != kNone; id = tree_.operations[id].next) write_operation(out, id, next);
}

std::string BytecodeWriter::dialect_section() {
  ByteWriter out;
  out.number(kDialectCount);
  out.number(tables_.string("builtin") << 1);  // lowest bit: with a version
  out.number(tables_.string("vhlo") << 1);
  out.number(operations_.size());
  for (size_t begin = 0; begin < operations_.size();) {
    const auto dialect_of = [&](size_t i) { return operations_[i]->name.starts_with("builtin.") ? kBuiltin : kVhlo; };
    size_t end = begin;
    while (end < operations_.size() && dialect_of(end) == dialect_of(begin)) ++end;
    out.number(dialect_of(begin));
    out.number(end - begin);
    for (; begin < end; ++begin) {
      const std::string_view name = operations_[begin]->name;
      out.number(tables_.string(name.substr(name.find('.') + 1)) << 1 | 1);  // lowest bit: registered
    }
  }
  return out.take();
}

std::string BytecodeWriter::string_section() const {
  ByteWriter out;
  const std::vector<std::string_view>& strings = tables_.strings;
  out.number(strings.size());
  for (size_t i = strings.size(); i-- > 0;) out.number(strings[i].size() + 1);
  for (std::string_view text : strings) {
    out.bytes(text);
    out.byte(0);
  }
  return out.take();
}

StatusOr<std::string> BytecodeWriter::write() {
  ByteWriter ir;
  ir.number(1 << 1);  // a block of one operation, the module
  write_operation(ir, 0, 0);
  const std::string dialects = dialect_section();
  HILO_RETURN_IF_ERROR(tables_.status());
  ByteWriter entries, offsets, properties, out;
  offsets.number(tables_.attributes.size());
  offsets.number(tables_.types.size());
  tables_.attributes.write(entries, offsets);
  tables_.types.write(entries, offsets);
  properties.number(properties_.size());
  for (const std::string* entry : properties_) properties.blob(*entry);
  out.bytes(kMagic);
  out.number(kNewestBytecode);
  out.bytes(fmt::format("StableHLO_v{}", kWrittenVhlo));
  out.byte(0);
  out.section(kDialects, dialects);
  out.section(kOffsets, offsets.data());
  out.section(kAttributeTypes, entries.data());
  out.section(kIr, ir.data());
  out.section(kStrings, string_section());
  out.section(kProperties, properties.data());
  return out.take();
}

}  // namespace

StatusOr<std::string> print_bytecode(const ModuleTree& tree) { return BytecodeWriter(tree).write(); }

StatusOr<std::string> write_bytecode(const hlo::Module& module) try {
  HILO_ASSIGN_OR_RETURN(const ModuleTree tree, write_tree(module, /*portable=*/true));
  return print_bytecode(tree);
} catch (const std::bad_alloc&) {
  return out_of_memory();
}

}  // namespace hilo::stablehlo
