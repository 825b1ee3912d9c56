// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/bytecode/reader.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "hilo/base/sizes.h"
#include "hilo/stablehlo/bytecode/attributes.h"
#include "hilo/stablehlo/bytecode/types.h"

namespace hilo::stablehlo {
namespace {

using Sections = std::array<std::optional<ByteReader>, kSections>;

Status read_strings(BytecodeReader& reader, ByteReader in) {
  const size_t count = in.count();
  std::vector<uint64_t> sizes(count);  // the first size belongs to the last string
  for (uint64_t& size : sizes) size = in.number();
  if (in.failed()) return in.status();
  reader.strings.resize(count);
  uint64_t total = 0;
  for (uint64_t size : sizes) {
    if (size == 0 || size > in.remaining() || total + size > in.remaining()) {
      in.fail("the sizes of strings don't match their section");
      return in.status();
    }
    total += size;
  }
  const std::string_view all = in.bytes(in.remaining());
  size_t end = all.size();
  for (size_t i = 0; i < count; ++i) {
    end -= sizes[i];
    reader.strings[count - 1 - i] = all.substr(end, sizes[i] - 1);
  }
  return ok_status();
}

/// Checks a producer such as "StableHLO_v1.17.0". Later minor versions only add: an addition is an error at its first
/// use.
Status check_producer(std::string_view producer, ByteReader& in) {
  constexpr std::string_view kPrefix = "StableHLO_v";
  if (!producer.starts_with(kPrefix)) return ok_status();
  int64_t parts[2] = {0, 0};
  size_t p = kPrefix.size();
  for (int64_t& part : parts) {
    while (p < producer.size() && producer[p] >= '0' && producer[p] <= '9' && part < 100000)
      part = part * 10 + (producer[p++] - '0');
    if (p < producer.size() && producer[p] == '.') ++p;
  }
  if (parts[0] > 1) {
    in.fail(StatusCode::kUnimplemented,
            fmt::format("the artefact has version {}; this version of hilo reads StableHLO 0 and 1", producer));
  } else if (parts[0] == 0 && parts[1] < 9) {
    in.fail(StatusCode::kUnimplemented,
            fmt::format("the artefact has version {}; this version of hilo reads StableHLO 0.9 and later", producer));
  }
  return in.status();
}

Status read_dialects(BytecodeReader& reader, ByteReader in) {
  const size_t count = in.count();
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    if (reader.version < 1) {
      reader.dialects.push_back(string_from(reader, in));
      continue;
    }
    const uint64_t packed = in.number();
    if (in.failed()) break;
    if (packed >> 1 >= reader.strings.size()) {
      in.fail("the name of a dialect is not a string");
      break;
    }
    reader.dialects.push_back(reader.strings[packed >> 1]);
    uint8_t id = 0;
    if ((packed & 1) != 0) in.section(id);  // version of the dialect
  }
  if (reader.version >= 4) in.number();  // count of the names that follow
  while (!in.failed() && !in.at_end()) {
    const uint32_t dialect = in.index(reader.dialects.size(), "dialect");
    const size_t names = in.count();
    for (size_t i = 0; i < names && !in.failed(); ++i) {
      uint64_t packed = in.number();
      if (reader.version >= 5) packed >>= 1;  // lowest bit: whether the operation is registered
      if (in.failed()) break;
      if (packed >= reader.strings.size()) {
        in.fail("the name of an operation is not a string");
        break;
      }
      std::string name = fmt::format("{}.{}", reader.dialects[dialect], reader.strings[packed]);
      const BytecodeOperation* const known = find_bytecode_operation(name);
      reader.operation_names.push_back({std::move(name), known});
    }
  }
  return in.status();
}

Status read_offsets(BytecodeReader& reader, ByteReader in, const ByteReader& entries) {
  const uint64_t attributes = in.number(), types = in.number();
  size_t offset = entries.position();
  const size_t end = offset + entries.remaining();
  const auto read = [&](uint64_t count, std::vector<BytecodeEntry>& list) {
    while (!in.failed() && list.size() < count) {
      const uint32_t dialect = in.index(reader.dialects.size(), "dialect");
      const size_t group = in.count();
      if (!in.failed() && group == 0) in.fail("an empty group of attributes or types");
      for (size_t i = 0; i < group && !in.failed(); ++i) {
        const uint64_t packed = in.number();
        const uint64_t size = packed >> 1;
        if (!in.failed() && size > end - offset) in.fail("attributes and types don't match their section");
        if (in.failed()) break;
        list.push_back({reader.dialects[dialect], offset, offset + size, (packed & 1) != 0});
        offset += size;
      }
    }
  };
  read(attributes, reader.attributes);
  read(types, reader.types);
  return in.status();
}

Status read_properties(BytecodeReader& reader, ByteReader in) {
  const size_t count = in.count();
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    const size_t size = in.count();
    reader.properties.emplace_back(in.position(), in.position() + size);
    in.bytes(size);
  }
  return in.status();
}

/// Skips the orders of uses, which have no effect here.
void skip_use_lists(ByteReader& in, size_t values) {
  const size_t count = values == 1 ? 1 : in.count();
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    if (values != 1) in.number();
    const uint64_t packed = in.number();
    for (uint64_t k = 0; k < packed >> 1 && !in.failed(); ++k) in.number();
  }
}

constexpr std::string_view kCast = "builtin.unrealized_conversion_cast";

class IrReader {
 public:
  explicit IrReader(BytecodeReader& reader) : reader_(reader), tree_(reader.tree) {}

  /// Reads the operations of the top-level block, which must be a single module.
  Status read_top(ByteReader in) {
    const uint64_t packed = in.number();
    if ((packed & 1) != 0) in.fail("the top-level block has arguments");
    if (!in.failed() && packed >> 1 != 1)
      in.fail(fmt::format("got {} top-level operations; wanted one module", packed >> 1));
    if (!in.failed()) read_operation(in, kNone);
    if (!in.failed() && tree_.operations[0].name != "builtin.module")
      in.fail("the top-level operation is not a module");
    return in.status();
  }

 private:
  void read_operation(ByteReader& in, RegionId region);
  void drop_cast(ByteReader& in);
  void read_attributes(ByteReader& in, uint8_t mask, const BytecodeOperation& known, std::vector<NamedAttribute>& list);
  void read_properties(ByteReader& in, const BytecodeOperation& known, std::vector<NamedAttribute>& list);
  void read_regions(ByteReader& in, OperationId owner);
  Region read_region(ByteReader& in);
  void read_block(ByteReader& in, RegionId region);
  /// Assigns the next value number of the region to a value of `type`.
  void define(ByteReader& in, ValueId value);

  BytecodeReader& reader_;
  ModuleTree& tree_;
  std::vector<ValueId> values_;  ///< by value number, of the innermost isolated operation
  size_t next_ = 0;              ///< number of the next value that the innermost region defines
};

void IrReader::define(ByteReader& in, ValueId value) {
  if (next_ >= values_.size()) return in.fail("a region defines more values than it declares");
  values_[next_++] = value;
}

void IrReader::read_properties(ByteReader& in, const BytecodeOperation& known, std::vector<NamedAttribute>& list) {
  const uint32_t index = in.index(reader_.properties.size(), "properties");
  if (in.failed()) return;
  ByteReader entry(reader_.data, reader_.source, reader_.properties[index].first, reader_.properties[index].second);
  std::string_view names = known.properties;
  while (!names.empty() && !entry.failed()) {
    const size_t blank = names.find(' ');
    std::string_view name = names.substr(0, blank);
    names.remove_prefix(blank == std::string_view::npos ? names.size() : blank + 1);
    const bool optional = name.ends_with('?');
    if (optional) {
      name.remove_suffix(1);
      if (entry.at_end()) break;               // from a version without this property
      const uint64_t packed = entry.number();  // an index; the lowest bit tells whether it is present
      if ((packed & 1) == 0 || entry.failed()) continue;
      if (packed >> 1 >= reader_.attributes.size()) {
        entry.fail("a property is not an attribute");
        continue;
      }
      list.push_back({name, attribute_at(reader_, entry, static_cast<uint32_t>(packed >> 1))});
      continue;
    }
    list.push_back({name, attribute_from(reader_, entry)});
  }
  if (!entry.failed() && !entry.at_end())
    entry.fail(fmt::format("{} has more properties than this version knows", known.name));
  in.take_failure(entry);
}

void IrReader::read_attributes(ByteReader& in, uint8_t mask, const BytecodeOperation& known,
                               std::vector<NamedAttribute>& list) {
  AttributeId own = kNone;
  if ((mask & kHasAttributes) != 0) own = attribute_from(reader_, in);
  if ((mask & kHasProperties) != 0 && !in.failed()) read_properties(in, known, list);
  if (own == kNone || in.failed()) return;
  const Attribute& dictionary = tree_.attributes[own];
  list.insert(list.end(), dictionary.entries.begin(), dictionary.entries.end());
}

void IrReader::read_operation(ByteReader& in, RegionId region) {
  const uint32_t name = in.index(reader_.operation_names.size(), "operation");
  if (in.failed()) return;
  const BytecodeOperation* const known = reader_.operation_names[name].known;
  if (known == nullptr) {
    return in.fail(StatusCode::kUnimplemented, fmt::format("operation {}; this version knows VHLO up to {}",
                                                           reader_.operation_names[name].full, kNewestVhlo));
  }
  const auto id = static_cast<OperationId>(tree_.operations.size());
  tree_.operations.emplace_back();
  tree_.operations[id].name = known->tree_name;
  const uint8_t mask = in.byte();
  const LocationId location = location_from(reader_, in);
  const auto attributes = size32(tree_.attribute_pool);
  read_attributes(in, mask, *known, tree_.attribute_pool);
  Operation operation = tree_.operations[id];
  operation.location = location;
  operation.attributes = {attributes, size32(tree_.attribute_pool) - attributes};
  const size_t results = (mask & kHasResults) != 0 ? in.count() : 0;
  operation.results = {size32(tree_.values), static_cast<uint32_t>(results)};
  for (size_t i = 0; i < results && !in.failed(); ++i) tree_.values.push_back({type_from(reader_, in), id});
  const size_t operands = (mask & kHasOperands) != 0 ? in.count() : 0;
  operation.operands = {size32(tree_.operand_pool), static_cast<uint32_t>(operands)};
  for (size_t i = 0; i < operands && !in.failed(); ++i) {
    const uint32_t number = in.index(values_.size(), "value");
    if (!in.failed() && values_[number] == kNone) in.fail(fmt::format("value {} is used before it is defined", number));
    tree_.operand_pool.push_back(in.failed() ? 0 : values_[number]);
  }
  if ((mask & kHasSuccessors) != 0) in.fail(StatusCode::kUnimplemented, "an operation with successor blocks");
  if (reader_.version >= 3 && (mask & kHasUseLists) != 0) skip_use_lists(in, results);
  if (in.failed()) return;
  const bool plain = region != kNone && (mask & kHasRegions) == 0;
  if (plain && results == 1 && operands == 1 && known->tree_name == kCast) return drop_cast(in);
  tree_.operations[id] = operation;
  for (uint32_t i = 0; i < results && !in.failed() && region != kNone; ++i) define(in, operation.results.begin + i);
  if ((mask & kHasRegions) != 0 && !in.failed()) read_regions(in, id);
  tree_.operations[id].nested_end = static_cast<OperationId>(tree_.operations.size());
  if (region != kNone) tree_.append(region, id);
}

/// Removes the last operation, a cast from one dialect's spelling of a type to another's: its result is its operand.
void IrReader::drop_cast(ByteReader& in) {
  const ValueId value = tree_.operand_pool.back();
  tree_.operand_pool.pop_back();
  tree_.values.pop_back();
  tree_.operations.pop_back();
  define(in, value);
}

void IrReader::read_regions(ByteReader& in, OperationId owner) {
  if (++reader_.depth > kMaxNesting) in.fail(fmt::format("regions nested deeper than {}", kMaxNesting));
  const uint64_t packed = in.number();
  const bool isolated = (packed & 1) != 0;
  ByteReader own;
  const bool sectioned = isolated && reader_.version >= 2;
  if (sectioned) {
    uint8_t id = 0;
    own = in.section(id);
    if (!in.failed() && id != kIr) in.fail("got another section; wanted the section of regions");
  }
  ByteReader& from = sectioned ? own : in;
  if (!in.failed() && packed >> 1 > from.remaining()) in.fail(fmt::format("got {} regions", packed >> 1));
  std::vector<ValueId> outer;
  const size_t outer_next = next_;
  if (isolated) outer.swap(values_);
  std::vector<Region> regions;
  for (uint64_t i = 0; i < packed >> 1 && !in.failed() && !from.failed(); ++i) regions.push_back(read_region(from));
  if (isolated) values_.swap(outer);
  next_ = outer_next;
  if (sectioned) in.take_failure(own);
  --reader_.depth;
  tree_.operations[owner].regions = {size32(tree_.regions), size32(regions)};
  tree_.regions.insert(tree_.regions.end(), regions.begin(), regions.end());
}

Region IrReader::read_region(ByteReader& in) {
  const size_t blocks = in.count();
  const auto region = static_cast<RegionId>(tree_.regions.size());
  tree_.regions.push_back({});
  tree_.regions[region].arguments.begin = size32(tree_.values);
  if (blocks == 0 || in.failed()) return tree_.regions[region];
  if (blocks > 1) {
    in.fail(StatusCode::kUnimplemented, "a region with several blocks");
    return {};
  }
  const size_t values = in.count();
  const size_t before = values_.size();
  values_.resize(before + values, kNone);
  next_ = before;
  read_block(in, region);
  values_.resize(before);
  return tree_.regions[region];
}

void IrReader::read_block(ByteReader& in, RegionId region) {
  const uint64_t packed = in.number();
  if ((packed & 1) != 0) {
    const size_t count = in.count();
    tree_.regions[region].arguments.count = static_cast<uint32_t>(count);
    for (size_t i = 0; i < count && !in.failed(); ++i) {
      const uint64_t type_and_location = reader_.version >= 4 ? in.number() : 0;
      TypeId type = 0;
      if (reader_.version >= 4) {
        // The lowest bit of the type's index tells whether a location is present.
        if (!in.failed() && type_and_location >> 1 >= reader_.types.size()) in.fail("an argument's type is invalid");
        if (in.failed()) return;
        type = type_at(reader_, in, static_cast<uint32_t>(type_and_location >> 1));
        if ((type_and_location & 1) != 0) in.number();
      } else {
        type = type_from(reader_, in);
        in.number();
      }
      tree_.values.push_back({type, kNone});
      define(in, static_cast<ValueId>(tree_.values.size() - 1));
    }
    if (reader_.version >= 3 && in.byte() != 0) skip_use_lists(in, count);
  }
  for (uint64_t i = 0; i < packed >> 1 && !in.failed(); ++i) read_operation(in, region);
}

}  // namespace

bool is_bytecode(std::string_view data) { return data.starts_with(kMagic); }

StatusOr<ModuleTree> read_bytecode(std::string_view data, std::string_view source) {
  ModuleTree tree;
  ByteReader in(data, source, 0, data.size());
  if (in.bytes(kMagic.size()) != kMagic) in.fail("not MLIR bytecode: the magic number is missing");
  BytecodeReader reader{data, source, tree};
  reader.version = in.number();
  if (!in.failed() && reader.version > kNewestBytecode) {
    in.fail(StatusCode::kUnimplemented,
            fmt::format("MLIR bytecode of version {}; this version reads 0 to {}", reader.version, kNewestBytecode));
  }
  const std::string_view producer = in.text_to_nul();
  if (in.failed()) return in.status();
  HILO_RETURN_IF_ERROR(check_producer(producer, in));
  Sections sections;
  while (!in.failed() && !in.at_end()) {
    uint8_t id = 0;
    ByteReader section = in.section(id);
    if (!in.failed() && (id >= kSections || sections[id]))
      in.fail(fmt::format("section {} is unknown or occurs twice", id));
    if (!in.failed()) sections[id] = section;
  }
  for (const Section needed : {kStrings, kDialects, kAttributeTypes, kOffsets, kIr}) {
    if (!in.failed() && !sections[needed]) in.fail(fmt::format("section {} is missing", static_cast<int>(needed)));
  }
  if (in.failed()) return in.status();
  HILO_RETURN_IF_ERROR(read_strings(reader, *sections[kStrings]));
  HILO_RETURN_IF_ERROR(read_dialects(reader, *sections[kDialects]));
  HILO_RETURN_IF_ERROR(read_offsets(reader, *sections[kOffsets], *sections[kAttributeTypes]));
  if (sections[kProperties]) HILO_RETURN_IF_ERROR(read_properties(reader, *sections[kProperties]));
  HILO_RETURN_IF_ERROR(IrReader(reader).read_top(*sections[kIr]));
  return tree;
}

}  // namespace hilo::stablehlo
