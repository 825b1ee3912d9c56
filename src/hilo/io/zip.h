// SPDX-License-Identifier: Apache-2.0
// io/zip.h -- zip archives in memory, as far as .npz needs them: members that are stored or deflated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::io {

/// A member, and where its bytes lie in the archive.
struct ZipMember {
  std::string name;
  std::string_view packed;
  uint64_t size = 0;  ///< bytes, unpacked
  uint32_t checksum = 0;
  bool deflated = false;
};

struct ZipLimits {
  int64_t bytes = int64_t{4} << 30;           ///< of a member, unpacked
  int64_t inflation = 100;                    ///< bytes for a byte packed ...
  int64_t any_inflation = int64_t{16} << 20;  ///< ... where a member has more bytes than these
};

/// The members as the central directory lists them; ZIP64 too. They point into `archive`.
/// Errors    INVALID_ARGUMENT for an archive that is cut off or says two things: members that overlap, names that
///           appear twice or lead out of the archive (absolute, ".."), a local header that differs from the directory;
///           UNIMPLEMENTED for encryption, several disks and other methods
/// Source    PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5
StatusOr<std::vector<ZipMember>> zip_members(std::string_view archive);

/// What a member holds.
/// Errors    DATA_LOSS if it is damaged or its checksum differs; RESOURCE_EXHAUSTED beyond the limits
StatusOr<std::string> zip_unpack(const ZipMember& member, const ZipLimits& limits = {});

struct ZipContent {
  std::string name;
  std::string_view bytes;
};
/// An archive of these members. Equal members give equal bytes: all are dated 1980-01-01.
/// Errors    INVALID_ARGUMENT for names that zip_members refuses; RESOURCE_EXHAUSTED where zlib has no memory
StatusOr<std::string> zip_bytes(const std::vector<ZipContent>& members, bool deflate);

}  // namespace hilo::io
