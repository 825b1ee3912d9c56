// SPDX-License-Identifier: Apache-2.0
// stablehlo/write/bytecode_tables.h -- the tables of strings, types and attributes in written bytecode, without
// duplicates.
#pragma once

#include <array>
#include <unordered_map>

#include "hilo/stablehlo/tree/attribute_rows.h"
#include "hilo/stablehlo/tree/module_tree.h"
#include "hilo/stablehlo/write/byte_writer.h"

namespace hilo::stablehlo {

enum Dialect : uint8_t { kBuiltin, kVhlo, kDialectCount };

/// Numbers entries in the order of their first use.
class EntryTable {
 public:
  uint64_t add(Dialect dialect, std::string bytes);
  size_t size() const { return entries_.size(); }
  /// Writes the bytes of the entries, and for each run of one dialect their end offsets.
  void write(ByteWriter& bytes, ByteWriter& offsets) const;

 private:
  struct Entry {
    Dialect dialect;
    const std::string* bytes;
  };
  std::vector<Entry> entries_;
  std::array<std::unordered_map<std::string, uint64_t>, kDialectCount> known_;
};

class BytecodeTables {
 public:
  explicit BytecodeTables(const ModuleTree& tree) : tree_(tree), type_numbers_(tree.types.size(), kUnknown) {}

  uint64_t string(std::string_view text);
  uint64_t type(TypeId id);
  uint64_t location(LocationId id);
  /// Adds a string attribute of dialect builtin: names of modules and keys of dictionaries.
  uint64_t name(std::string_view text);
  /// Adds an operation's attribute in the form of its row. A null `attribute` adds the default.
  uint64_t property(const AttributeRow& row, const Attribute* attribute);
  /// Adds an attribute whose kind determines its form.
  uint64_t attribute(const Attribute& attribute);
  uint64_t dictionary(std::span<const NamedAttribute> entries);

  const Status& status() const { return status_; }
  void fail(std::string message) {
    if (status_.ok()) status_ = unimplemented(std::move(message));
  }

  std::vector<std::string_view> strings;
  EntryTable attributes, types;

 private:
  static constexpr uint64_t kUnknown = ~uint64_t{0};
  uint64_t vhlo(ByteWriter& bytes) { return attributes.add(kVhlo, bytes.take()); }
  uint64_t coded(VhloAttribute code, uint64_t value);
  uint64_t integer(ElementType type, int64_t value, bool is_index = false);
  uint64_t floating(ElementType type, double value);
  uint64_t word(VhloAttribute code, std::string_view word);
  uint64_t array(std::span<const uint64_t> elements);
  uint64_t tensor(uint64_t type, std::string_view bytes);
  uint64_t integers(std::span<const int64_t> values, ElementType type);
  uint64_t elements(const Attribute& attribute);
  uint64_t alias(const Attribute& attribute);
  uint64_t element_type(ElementType type);
  uint64_t simple_type(uint64_t code);
  uint64_t tensor_type(std::span<const int64_t> dimensions, uint64_t element);

  const ModuleTree& tree_;
  std::vector<uint64_t> type_numbers_;
  std::vector<uint64_t> location_numbers_;
  std::unordered_map<std::string, uint64_t> string_numbers_;
  Status status_;
};

}  // namespace hilo::stablehlo
