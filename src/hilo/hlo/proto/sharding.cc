// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/proto/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace hilo::hlo::proto {
namespace {

using text::Cursor;

// Fields of OpSharding, and its types.
constexpr uint32_t kType = 1, kShardingDimensions = 3, kDevices = 4, kTuple = 5, kReplicateLast = 6, kLastTileDims = 8,
                   kReshape = 9, kTranspose = 10, kIsGroup = 11, kGroup = 12, kGroupType = 13;
enum Type : int64_t { kReplicated, kMaximal, kTupleType, kOther, kManual, kUnknown, kUnreduced };
constexpr std::string_view kTypeNames[] = {"replicated", "maximal", "tuple", "other", "manual", "unknown", "unreduced"};

StatusOr<int64_t> read_type(Cursor& cursor) {
  const size_t position = cursor.position();
  const std::string_view word = cursor.identifier();
  const auto it = std::find(std::begin(kTypeNames), std::end(kTypeNames), word);
  if (it != std::end(kTypeNames) && !word.empty()) return it - std::begin(kTypeNames);
  return cursor.error(StatusCode::kUnimplemented, position, fmt::format("sharding '{}' is not known", word));
}

/// Reads `devices=[2,1]0,1` or `devices=[2,1]<=[2]`, after "devices=".
Status read_devices(Cursor& cursor, WireWriter& out) {
  IotaDevices iota;
  HILO_ASSIGN_OR_RETURN(iota.dimensions, read_bracketed(cursor, '[', ']'));
  out.integer(kType, kOther);
  out.integers(kShardingDimensions, iota.dimensions);
  if (cursor.peek() == '<') {
    HILO_RETURN_IF_ERROR(read_iota_devices(cursor, iota));
    out.integers(kReshape, iota.reshape);
    out.integers(kTranspose, iota.transpose);
    return ok_status();
  }
  std::vector<int64_t> devices;
  do {
    HILO_ASSIGN_OR_RETURN(const int64_t device, cursor.integer("a device"));
    devices.push_back(device);
  } while (cursor.accept(','));
  out.integers(kDevices, devices);
  return ok_status();
}

/// Reads what may follow in the braces: last_tile_dim_replicate, last_tile_dims={...}, shard_as N, metadata={...}.
Status read_suffix(Cursor& cursor, std::string_view word, WireWriter& out) {
  if (word == "last_tile_dim_replicate") {
    out.boolean(kReplicateLast, true);
    return ok_status();
  }
  if (word == "shard_as" || word == "shard_like") {
    HILO_ASSIGN_OR_RETURN(const int64_t group, cursor.integer("a shard group"));
    out.boolean(kIsGroup, true);
    out.integer(kGroup, group);
    out.integer(kGroupType, word == "shard_like" ? 1 : 0);
    return ok_status();
  }
  HILO_RETURN_IF_ERROR(cursor.expect('=', "after a part of the sharding"));
  if (word == "metadata") return cursor.raw_value(word).status();
  if (word == "device") {
    HILO_ASSIGN_OR_RETURN(const int64_t device, cursor.integer("a device"));
    out.integers(kShardingDimensions, std::vector<int64_t>{1});
    out.integers(kDevices, std::vector<int64_t>{device});
    return ok_status();
  }
  if (word == "devices") return read_devices(cursor, out);
  if (word != "last_tile_dims")
    return cursor.error(StatusCode::kUnimplemented, cursor.position(),
                        fmt::format("'{}' of a sharding is not known", word));
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before last_tile_dims"));
  std::vector<int64_t> types;
  do {
    HILO_ASSIGN_OR_RETURN(const int64_t type, read_type(cursor));
    types.push_back(type);
  } while (cursor.accept(','));
  out.integers(kLastTileDims, types);
  return cursor.expect('}', "after last_tile_dims");
}

/// Reads one sharding in braces that is no tuple.
StatusOr<WireWriter> read_one(Cursor& cursor) {
  WireWriter out;
  HILO_RETURN_IF_ERROR(cursor.expect('{', "before a sharding"));
  for (bool first = true; cursor.peek() != '}'; first = false) {
    const size_t position = cursor.position();
    const std::string_view word = cursor.identifier();
    if (word.empty()) return cursor.unexpected("a part of the sharding", "");
    if (first && word != "devices") {
      cursor.set_position(position);
      HILO_ASSIGN_OR_RETURN(const int64_t type, read_type(cursor));
      out.integer(kType, type);
    } else {
      HILO_RETURN_IF_ERROR(read_suffix(cursor, word, out));
    }
  }
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after a sharding"));
  return out;
}

StatusOr<std::string> devices_text(const WireMessage& message) {
  IotaDevices iota;
  HILO_ASSIGN_OR_RETURN(iota.dimensions, message.integers(kShardingDimensions));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> devices, message.integers(kDevices));
  HILO_ASSIGN_OR_RETURN(iota.reshape, message.integers(kReshape));
  HILO_ASSIGN_OR_RETURN(iota.transpose, message.integers(kTranspose));
  std::string text = "devices=";
  if (iota.reshape.empty())
    return text + fmt::format("[{}]{}", fmt::join(iota.dimensions, ","), fmt::join(devices, ","));
  append_iota_devices(iota, text);
  return text;
}

StatusOr<std::string> suffix_text(const WireMessage& message) {
  std::string text;
  HILO_ASSIGN_OR_RETURN(const bool replicate, message.boolean(kReplicateLast));
  if (replicate) text += " last_tile_dim_replicate";
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> types, message.integers(kLastTileDims));
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] < 0 || types[i] >= std::ssize(kTypeNames))
      return invalid_argument(fmt::format("OpSharding: type {} is not known", types[i]));
    text += (i == 0 ? " last_tile_dims={" : ", ") + std::string(kTypeNames[types[i]]);
  }
  if (!types.empty()) text += '}';
  HILO_ASSIGN_OR_RETURN(const bool group, message.boolean(kIsGroup));
  HILO_ASSIGN_OR_RETURN(const int64_t id, message.integer(kGroup));
  HILO_ASSIGN_OR_RETURN(const int64_t group_type, message.integer(kGroupType));
  if (group) text += fmt::format(" {} {}", group_type == 1 ? "shard_like" : "shard_as", id);
  return text;
}

StatusOr<std::string> one_text(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(bytes, "OpSharding"));
  for (const WireField& field : message.fields()) {
    if (field.number > kGroupType)
      return unimplemented(fmt::format("OpSharding: field {} is not implemented in this version", field.number));
  }
  HILO_ASSIGN_OR_RETURN(const int64_t type, message.integer(kType));
  HILO_ASSIGN_OR_RETURN(const std::string suffix, suffix_text(message));
  if (type < 0 || type >= std::ssize(kTypeNames) || type == kTupleType)
    return invalid_argument(fmt::format("OpSharding: type {} isn't allowed here", type));
  if (type == kOther) {
    HILO_ASSIGN_OR_RETURN(const std::string devices, devices_text(message));
    return "{" + devices + suffix + "}";
  }
  if (type != kMaximal) return "{" + std::string(kTypeNames[type]) + suffix + "}";
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> devices, message.integers(kDevices));
  return fmt::format("{{maximal device={}{}}}", devices.empty() ? 0 : devices[0], suffix);
}

}  // namespace

StatusOr<std::vector<int64_t>> read_bracketed(Cursor& cursor, char open, char close) {
  std::vector<int64_t> list;
  HILO_RETURN_IF_ERROR(cursor.expect(open, "before a list of numbers"));
  while (cursor.peek() != close) {
    HILO_ASSIGN_OR_RETURN(const int64_t value, cursor.integer("a number"));
    list.push_back(value);
    if (!cursor.accept(',')) break;
  }
  HILO_RETURN_IF_ERROR(cursor.expect(close, "after a list of numbers"));
  return list;
}

Status read_iota_devices(Cursor& cursor, IotaDevices& iota) {
  HILO_RETURN_IF_ERROR(cursor.expect('<', "before an order of devices"));
  HILO_RETURN_IF_ERROR(cursor.expect('=', "before an order of devices"));
  HILO_ASSIGN_OR_RETURN(iota.reshape, read_bracketed(cursor, '[', ']'));
  if (cursor.next_byte() == 'T') {
    cursor.identifier();
    HILO_ASSIGN_OR_RETURN(iota.transpose, read_bracketed(cursor, '(', ')'));
    return ok_status();
  }
  for (size_t i = 0; i < iota.reshape.size(); ++i) iota.transpose.push_back(i);
  return ok_status();
}

void append_iota_devices(const IotaDevices& iota, std::string& out) {
  out += fmt::format("[{}]<=[{}]", fmt::join(iota.dimensions, ","), fmt::join(iota.reshape, ","));
  if (!std::is_sorted(iota.transpose.begin(), iota.transpose.end()))
    out += fmt::format("T({})", fmt::join(iota.transpose, ","));
}

StatusOr<WireWriter> write_sharding(std::string_view text) {
  Cursor cursor(text, "sharding");
  const size_t begin = cursor.position();
  if (!cursor.accept('{') || (cursor.peek() != '{' && cursor.peek() != '}')) {
    cursor.set_position(begin);
    return read_one(cursor);
  }
  WireWriter out;
  out.integer(kType, kTupleType);
  while (cursor.peek() == '{') {
    HILO_ASSIGN_OR_RETURN(const WireWriter one, read_one(cursor));
    out.message(kTuple, one);
    if (!cursor.accept(',')) break;
  }
  HILO_RETURN_IF_ERROR(cursor.expect('}', "after the shardings of a tuple"));
  return out;
}

StatusOr<std::string> read_sharding(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(bytes, "OpSharding"));
  HILO_ASSIGN_OR_RETURN(const int64_t type, message.integer(kType));
  if (type != kTupleType) return one_text(bytes);
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> items, message.items(kTuple));
  std::string text = "{";
  for (std::string_view item : items) {
    HILO_ASSIGN_OR_RETURN(const std::string one, one_text(item));
    text += (text.size() == 1 ? "" : ", ") + one;
  }
  return text + "}";
}

namespace {

/// Returns the devices 0, 1, ... as an array of these sizes, transposed.
StatusOr<std::vector<int64_t>> iota_devices(const std::vector<int64_t>& sizes, std::vector<int64_t> order) {
  constexpr int64_t kMax = 65536;
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 1 || size > kMax / count) return invalid_argument("OpSharding: invalid dimensions of devices");
    count *= size;
  }
  if (order.empty()) {
    order.resize(sizes.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::vector<int64_t> sorted = order, strides(sizes.size(), 1);
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != sizes.size() || sorted[i] != static_cast<int64_t>(i))
      return invalid_argument("OpSharding: invalid transposition of devices");
  }
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  std::vector<int64_t> devices = {0};
  for (const int64_t d : order) {  // major first
    std::vector<int64_t> more;
    for (const int64_t device : devices) {
      for (int64_t i = 0; i < sizes[d]; ++i) more.push_back(device + i * strides[d]);
    }
    devices = std::move(more);
  }
  return devices;
}

Status read_cut(const WireMessage& message, Tiles& tiles) {
  HILO_ASSIGN_OR_RETURN(tiles.counts, message.integers(kShardingDimensions));
  HILO_ASSIGN_OR_RETURN(tiles.devices, message.integers(kDevices));
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> reshape, message.integers(kReshape));
  if (!reshape.empty()) {
    HILO_ASSIGN_OR_RETURN(std::vector<int64_t> transpose, message.integers(kTranspose));
    HILO_ASSIGN_OR_RETURN(tiles.devices, iota_devices(reshape, std::move(transpose)));
  }
  HILO_ASSIGN_OR_RETURN(const bool replicate, message.boolean(kReplicateLast));
  if (replicate) tiles.kinds.push_back(kTypeNames[kReplicated]);
  HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> types, message.integers(kLastTileDims));
  for (const int64_t type : types) {
    if (type < 0 || type >= std::ssize(kTypeNames))
      return invalid_argument(fmt::format("OpSharding: type {} is not known", type));
    tiles.kinds.push_back(kTypeNames[type]);
  }
  int64_t count = 1;
  for (const int64_t parts : tiles.counts) {
    if (parts < 1 || parts > std::ssize(tiles.devices)) count = -1;
    if (count > 0) count = parts * count > std::ssize(tiles.devices) ? -1 : parts * count;
  }
  if (count == std::ssize(tiles.devices) && tiles.kinds.size() <= tiles.counts.size()) return ok_status();
  return invalid_argument(
      fmt::format("OpSharding: parts [{}] of {} devices", fmt::join(tiles.counts, ","), tiles.devices.size()));
}

}  // namespace

StatusOr<Tiles> read_tiles(std::string_view text_or_message) {
  std::string written;
  if (text_or_message.starts_with('{')) {
    HILO_ASSIGN_OR_RETURN(WireWriter proto, write_sharding(text_or_message));
    written = std::move(proto).take();
    text_or_message = written;
  }
  HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(text_or_message, "OpSharding"));
  HILO_ASSIGN_OR_RETURN(const int64_t type, message.integer(kType));
  Tiles tiles;
  if (type == kOther) {
    HILO_RETURN_IF_ERROR(read_cut(message, tiles));
    return tiles;
  }
  if (type < 0 || type >= std::ssize(kTypeNames) || type == kTupleType)
    return unimplemented(fmt::format("OpSharding: type {} isn't allowed here", type));
  tiles.kinds = {kTypeNames[type]};
  return tiles;
}

}  // namespace hilo::hlo::proto
