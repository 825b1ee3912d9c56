// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <set>

#include "hilo/base/text.h"
#include "hilo/io/inflate.h"
#include "hilo/io/known_formats.h"
#include "hilo/io/little_endian.h"

namespace hilo::io {
namespace {

constexpr std::string_view kLocal("PK\x03\x04", 4), kEntry("PK\x01\x02", 4), kEnd("PK\x05\x06", 4);
constexpr std::string_view kEnd64("PK\x06\x06", 4), kLocator64("PK\x06\x07", 4);
constexpr size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr uint64_t kIn64 = 0xffffffff;  // in a 32-bit field: the value is in the ZIP64 field
constexpr uint16_t kZip64Field = 1;
constexpr uint16_t kStored = 0, kDeflated = 8;

struct Directory {
  uint64_t begin = 0, size = 0, entries = 0;
};

// Returns the fields of a record of fixed size, or an error if the archive is too short.
StatusOr<std::string_view> record(std::string_view archive, uint64_t at, size_t size, std::string_view magic,
                                  std::string_view what) {
  if (at > archive.size() || archive.size() - at < size || archive.substr(at, magic.size()) != magic) {
    return invalid_argument(fmt::format("zip: byte {}: missing {}", at, what));
  }
  return archive.substr(at, size);
}

uint64_t number(std::string_view record, size_t at, size_t width) { return little_endian(record.substr(at, width)); }

// Finds the end record, which precedes a comment of at most 64 KiB.
StatusOr<size_t> place_of_end(std::string_view archive) {
  const size_t earliest = archive.size() - std::min(archive.size(), kEndSize + 0xffff);
  for (size_t at = archive.rfind(kEnd); at != std::string_view::npos && at >= earliest;
       at = archive.rfind(kEnd, at - 1)) {
    const bool whole = archive.size() - at >= kEndSize;
    if (whole && at + kEndSize + number(archive, at + 20, 2) == archive.size()) return at;
    if (at == 0) break;
  }
  if (archive.starts_with(kLocal)) return invalid_argument("zip: truncated: the central directory is missing");
  return not_this_format("a zip file", archive);
}

StatusOr<Directory> directory_of(std::string_view archive) {
  HILO_ASSIGN_OR_RETURN(const size_t at, place_of_end(archive));
  const std::string_view end = archive.substr(at, kEndSize);
  Directory found = {number(end, 16, 4), number(end, 12, 4), number(end, 10, 2)};
  uint64_t disks = number(end, 4, 2) | number(end, 6, 2);
  if (at >= kLocatorSize && archive.substr(at - kLocatorSize, 4) == kLocator64) {
    const uint64_t place = number(archive, at - kLocatorSize + 8, 8);
    HILO_ASSIGN_OR_RETURN(const std::string_view end64, record(archive, place, kEnd64Size, kEnd64, "ZIP64 end record"));
    found = {number(end64, 48, 8), number(end64, 40, 8), number(end64, 32, 8)};
    disks = number(end64, 16, 4) | number(end64, 20, 4);
  }
  if (disks != 0) return unimplemented("zip: archives in several parts are not supported");
  if (found.begin > at || found.size > at - found.begin) {
    return invalid_argument(fmt::format("zip: central directory [{}, +{}) is outside of the {} bytes before its end",
                                        found.begin, found.size, at));
  }
  return found;
}

Status check_name(std::string_view name) {
  const bool leads_out = name.starts_with('/') || name == ".." || name.starts_with("../") || name.ends_with("/..") ||
                         name.find("/../") != std::string_view::npos || name.find('\\') != std::string_view::npos;
  const bool odd = name.empty() || name.find('\0') != std::string_view::npos || name.size() > 0xffff;
  if (!leads_out && !odd) return ok_status();
  return invalid_argument(fmt::format("zip: member name {}", quote(name)));
}

// The three numbers of an entry that can be in its ZIP64 field.
struct Sizes {
  uint64_t size, packed, local;
};
StatusOr<Sizes> sizes_of(std::string_view entry, std::string_view extra, std::string_view name) {
  Sizes sizes = {number(entry, 24, 4), number(entry, 20, 4), number(entry, 42, 4)};
  while (extra.size() >= 4) {
    const uint64_t length = number(extra, 2, 2);
    if (length > extra.size() - 4) break;
    if (number(extra, 0, 2) == kZip64Field) {
      std::string_view field = extra.substr(4, length);
      for (uint64_t* value : {&sizes.size, &sizes.packed, &sizes.local}) {
        if (*value != kIn64) continue;
        if (field.size() < 8)
          return invalid_argument(fmt::format("zip: member {}: its ZIP64 field is too short", quote(name)));
        *value = number(field, 0, 8);
        field.remove_prefix(8);
      }
      return sizes;
    }
    extra.remove_prefix(4 + length);
  }
  return sizes;
}

// Returns a member's bytes, which follow its local header. That header must agree with the directory.
StatusOr<std::string_view> packed_bytes(std::string_view archive, const Sizes& sizes, std::string_view name,
                                        uint64_t method) {
  HILO_ASSIGN_OR_RETURN(const std::string_view local, record(archive, sizes.local, kLocalSize, kLocal, "local header"));
  const uint64_t begin = sizes.local + kLocalSize + number(local, 26, 2) + number(local, 28, 2);
  if (begin > archive.size() || sizes.packed > archive.size() - begin) {
    return invalid_argument(fmt::format("zip: member {} has {} bytes from byte {}; file has {}", quote(name),
                                        sizes.packed, begin, archive.size()));
  }
  if (archive.substr(sizes.local + kLocalSize, number(local, 26, 2)) != name || number(local, 8, 2) != method) {
    return invalid_argument(fmt::format("zip: member {}: local header and directory differ", quote(name)));
  }
  return archive.substr(begin, sizes.packed);
}

// Reads the directory entry at `at` and advances `at` to the next one.
StatusOr<ZipMember> member_at(std::string_view archive, uint64_t& at) {
  HILO_ASSIGN_OR_RETURN(const std::string_view entry, record(archive, at, kEntrySize, kEntry, "directory entry"));
  const uint64_t name_size = number(entry, 28, 2), extra_size = number(entry, 30, 2), comment = number(entry, 32, 2);
  const uint64_t whole = kEntrySize + name_size + extra_size + comment;
  if (archive.size() - at < whole) return invalid_argument(fmt::format("zip: byte {}: directory entry is cut off", at));
  const std::string_view name = archive.substr(at + kEntrySize, name_size);
  HILO_RETURN_IF_ERROR(check_name(name));
  const uint64_t flags = number(entry, 8, 2), method = number(entry, 10, 2);
  if ((flags & 1) != 0) return unimplemented(fmt::format("zip: member {} is encrypted", quote(name)));
  if (method != kStored && method != kDeflated) {
    return unimplemented(fmt::format("zip: member {} is packed by method {}; hilo reads stored (0) and deflated (8)",
                                     quote(name), method));
  }
  HILO_ASSIGN_OR_RETURN(const Sizes sizes,
                        sizes_of(entry, archive.substr(at + kEntrySize + name_size, extra_size), name));
  HILO_ASSIGN_OR_RETURN(const std::string_view packed, packed_bytes(archive, sizes, name, method));
  if (method == kStored && sizes.size != sizes.packed) {
    return invalid_argument(fmt::format("zip: member {} is stored, but its two sizes differ: {} and {}", quote(name),
                                        sizes.size, sizes.packed));
  }
  at += whole;
  return ZipMember{std::string(name), packed, sizes.size, static_cast<uint32_t>(number(entry, 16, 4)),
                   method == kDeflated};
}

Status check_overlaps(const std::vector<ZipMember>& members) {
  std::set<std::string_view> names;
  std::vector<const ZipMember*> sorted;
  for (const ZipMember& member : members) {
    if (!names.insert(member.name).second) {
      return invalid_argument(fmt::format("zip: member {} appears twice", quote(member.name)));
    }
    sorted.push_back(&member);
  }
  std::ranges::sort(sorted, {}, [](const ZipMember* m) { return m->packed.data(); });
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1]->packed.data() + sorted[i - 1]->packed.size() > sorted[i]->packed.data()) {
      return invalid_argument(
          fmt::format("zip: members {} and {} overlap", quote(sorted[i - 1]->name), quote(sorted[i]->name)));
    }
  }
  return ok_status();
}

uint32_t crc32_of(std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

StatusOr<std::string> deflated(std::string_view bytes) {
  z_stream stream = {};
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, static_cast<int>(Framing::kRaw), 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    return resource_exhausted("zip: out of memory");
  }
  constexpr size_t kPiece = size_t{256} << 10;  // bytes compressed at a time
  std::string out;
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    const size_t shown = std::min<size_t>(bytes.size(), size_t{1} << 30);
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(shown);
      bytes.remove_prefix(shown);
    }
    const size_t before = out.size();
    out.resize(before + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(kPiece);
    result = ::deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.resize(before + kPiece - stream.avail_out);
  }
  ::deflateEnd(&stream);
  return out;
}

constexpr uint64_t kDate = 0x0021;  // 1980-01-01

// Appends the fields that local headers and directory entries share: versions, flags, method, date, checksum, sizes,
// lengths.
void append_common(std::string& out, const ZipMember& member, size_t extra) {
  const bool large = extra != 0;
  append_little_endian(out, large ? 45 : 20, 2);
  append_little_endian(out, 0x0800, 2);  // flag: names are UTF-8
  append_little_endian(out, member.deflated ? kDeflated : kStored, 2);
  append_little_endian(out, kDate << 16, 4);
  append_little_endian(out, member.checksum, 4);
  append_little_endian(out, large ? kIn64 : member.packed.size(), 4);
  append_little_endian(out, large ? kIn64 : member.size, 4);
  append_little_endian(out, member.name.size(), 2);
  append_little_endian(out, extra, 2);
}

// Returns the ZIP64 field with the sizes, and optionally the offset, that exceed 32 bits.
std::string zip64_field(const ZipMember& member, std::optional<uint64_t> place) {
  if (std::max({uint64_t{member.packed.size()}, member.size, place.value_or(0)}) < kIn64) return "";
  std::string field;
  append_little_endian(field, kZip64Field, 2);
  append_little_endian(field, place ? 24 : 16, 2);
  append_little_endian(field, member.size, 8);
  append_little_endian(field, member.packed.size(), 8);
  if (place) append_little_endian(field, *place, 8);
  return field;
}

void append_entry(std::string& out, const ZipMember& member, uint64_t place) {
  const std::string field = zip64_field(member, place);
  out.append(kEntry);
  append_little_endian(out, 45, 2);  // version of the format
  append_common(out, member, field.size());
  append_little_endian(out, 0, 4);  // no comment, disk 0
  append_little_endian(out, 0, 6);  // no attributes
  append_little_endian(out, field.empty() ? place : kIn64, 4);
  out.append(member.name).append(field);
}

void append_end(std::string& out, const Directory& directory) {
  if (std::max(directory.begin, directory.size) >= kIn64 || directory.entries >= 0xffff) {
    const uint64_t place = out.size();
    out.append(kEnd64);
    append_little_endian(out, kEnd64Size - 12, 8);
    append_little_endian(out, 45, 2);
    append_little_endian(out, 45, 2);
    append_little_endian(out, 0, 8);
    for (uint64_t value : {directory.entries, directory.entries, directory.size, directory.begin})
      append_little_endian(out, value, 8);
    out.append(kLocator64);
    append_little_endian(out, 0, 4);
    append_little_endian(out, place, 8);
    append_little_endian(out, 1, 4);
  }
  out.append(kEnd);
  append_little_endian(out, 0, 4);
  append_little_endian(out, std::min<uint64_t>(directory.entries, 0xffff), 2);
  append_little_endian(out, std::min<uint64_t>(directory.entries, 0xffff), 2);
  append_little_endian(out, std::min(directory.size, kIn64), 4);
  append_little_endian(out, std::min(directory.begin, kIn64), 4);
  append_little_endian(out, 0, 2);
}

}  // namespace

StatusOr<std::vector<ZipMember>> zip_members(std::string_view archive) {
  HILO_ASSIGN_OR_RETURN(const Directory directory, directory_of(archive));
  const std::string_view known = archive.substr(0, directory.begin + directory.size);
  std::vector<ZipMember> members;
  uint64_t at = directory.begin;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    HILO_ASSIGN_OR_RETURN(ZipMember member, member_at(known, at));
    members.push_back(std::move(member));
  }
  if (at != known.size())
    return invalid_argument(fmt::format("zip: byte {}: bytes after the last directory entry", at));
  HILO_RETURN_IF_ERROR(check_overlaps(members));
  return members;
}

StatusOr<std::string> zip_unpack(const ZipMember& member, const ZipLimits& limits) {
  if (member.size > static_cast<uint64_t>(limits.bytes)) {
    return resource_exhausted(
        fmt::format("zip: {} has {} bytes; limit is {}", quote(member.name), member.size, limits.bytes));
  }
  const uint64_t ratio = member.size / std::max<uint64_t>(member.packed.size(), 1);
  if (member.size > static_cast<uint64_t>(limits.any_inflation) && ratio > static_cast<uint64_t>(limits.inflation)) {
    return resource_exhausted(fmt::format("zip: {} inflates {}:1; limit is {}:1 beyond {} bytes", quote(member.name),
                                          ratio, limits.inflation, limits.any_inflation));
  }
  std::string out;
  if (!member.deflated) {
    out = member.packed;
  } else {
    size_t at = 0;
    const Status done = inflate(member.packed, at, Framing::kRaw, static_cast<int64_t>(member.size), out);
    if (done.code() == StatusCode::kResourceExhausted ||
        (done.ok() && (out.size() != member.size || at != member.packed.size()))) {
      return data_loss(fmt::format("zip: {}: the directory has {} bytes, its data has another number",
                                   quote(member.name), member.size));
    }
    if (!done.ok()) return done.with_context(fmt::format("zip: {}", quote(member.name)));
  }
  if (const uint32_t got = crc32_of(out); got != member.checksum) {
    return data_loss(
        fmt::format("zip: {}: checksum {:#010x}; wanted {:#010x}", quote(member.name), got, member.checksum));
  }
  return out;
}

StatusOr<std::string> zip_bytes(const std::vector<ZipContent>& contents, bool deflate) {
  std::string out, entries;
  for (const ZipContent& content : contents) {
    HILO_RETURN_IF_ERROR(check_name(content.name));
    std::string packed;
    if (deflate) {
      HILO_ASSIGN_OR_RETURN(packed, deflated(content.bytes));
    }
    const ZipMember member = {content.name, deflate ? std::string_view(packed) : content.bytes, content.bytes.size(),
                              crc32_of(content.bytes), deflate};
    const uint64_t place = out.size();
    const std::string field = zip64_field(member, std::nullopt);
    out.append(kLocal);
    append_common(out, member, field.size());
    out.append(member.name).append(field).append(member.packed);
    append_entry(entries, member, place);
  }
  const Directory directory = {out.size(), entries.size(), contents.size()};
  out.append(entries);
  append_end(out, directory);
  return out;
}

}  // namespace hilo::io
