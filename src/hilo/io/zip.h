// SPDX-License-Identifier: Apache-2.0
// io/zip.h -- zip archives in memory, with stored or deflated members, as .npz files need them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::io {

/// A member of an archive and the range of its bytes.
struct ZipMember {
  std::string name;
  std::string_view packed;
  uint64_t size = 0;  ///< bytes after decompression
  uint32_t checksum = 0;
  bool deflated = false;
};

struct ZipLimits {
  int64_t bytes = int64_t{4} << 30;           ///< maximum bytes of a member after decompression
  int64_t inflation = 100;                    ///< maximum compression ratio ...
  int64_t any_inflation = int64_t{16} << 20;  ///< ... of members with more bytes than this
};

/// Lists the members in the central directory; ZIP64 is supported. They point into `archive`.
/// Errors    INVALID_ARGUMENT for an archive that is truncated or inconsistent: overlapping members, names that are
///           duplicate or point outside of the archive (absolute, ".."), a local header that differs from the
///           directory; UNIMPLEMENTED for encryption, several disks and other methods
/// Source    PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5
StatusOr<std::vector<ZipMember>> zip_members(std::string_view archive);

/// Decompresses a member.
/// Errors    DATA_LOSS if it is damaged or its checksum differs; RESOURCE_EXHAUSTED above the limits
StatusOr<std::string> zip_unpack(const ZipMember& member, const ZipLimits& limits = {});

struct ZipContent {
  std::string name;
  std::string_view bytes;
};
/// Creates an archive of these members. The result is reproducible, because the date of all members is 1980-01-01.
/// Errors    INVALID_ARGUMENT for names that zip_members rejects; RESOURCE_EXHAUSTED if zlib has no memory
StatusOr<std::string> zip_bytes(const std::vector<ZipContent>& members, bool deflate);

}  // namespace hilo::io
