// SPDX-License-Identifier: Apache-2.0
#include "hilo/io/npz.h"

#include <fmt/format.h>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/io/mapped_file.h"
#include "hilo/io/npy.h"

namespace hilo::io {
namespace {

constexpr std::string_view kSuffix = ".npy";

StatusOr<NamedLiterals> parse(std::string_view bytes, const ZipLimits& limits) {
  HILO_ASSIGN_OR_RETURN(const std::vector<ZipMember> members, zip_members(bytes));
  NamedLiterals arrays;
  for (const ZipMember& member : members) {
    if (!member.name.ends_with(kSuffix)) {
      return invalid_argument(
          fmt::format("member {} is not an array; wanted a name that ends in .npy", quote(member.name)));
    }
    HILO_ASSIGN_OR_RETURN(const std::string unpacked, zip_unpack(member, limits));
    const std::string name = member.name.substr(0, member.name.size() - kSuffix.size());
    HILO_ASSIGN_OR_RETURN(Literal array, parse_npy(unpacked, quote(name)));
    arrays.emplace(name, std::move(array));
  }
  return arrays;
}

}  // namespace

StatusOr<NamedLiterals> parse_npz(std::string_view bytes, std::string_view name, const ZipLimits& limits) {
  StatusOr<NamedLiterals> arrays = parse(bytes, limits);
  if (!arrays.ok()) return arrays.status().with_context(name);
  return arrays;
}

StatusOr<NamedLiterals> read_npz(const std::string& path, const ZipLimits& limits) {
  HILO_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(path));
  return parse_npz(file.bytes(), path, limits);
}

StatusOr<std::string> npz_bytes(const NamedLiterals& arrays, bool compress) {
  std::vector<std::string> files;
  std::vector<ZipContent> members;
  files.reserve(arrays.size());  // no reallocation, because members point to the elements
  for (const auto& [name, array] : arrays) {
    StatusOr<std::string> bytes = npy_bytes(array);
    if (!bytes.ok()) return bytes.status().with_context(quote(name));
    files.push_back(*std::move(bytes));
    members.push_back({name + std::string(kSuffix), files.back()});
  }
  return zip_bytes(members, compress);
}

Status write_npz(const std::string& path, const NamedLiterals& arrays, bool compress) {
  HILO_ASSIGN_OR_RETURN(const std::string bytes, npz_bytes(arrays, compress));
  return write_file_atomic(path, bytes);
}

}  // namespace hilo::io
