// SPDX-License-Identifier: Apache-2.0
// base/files.h -- reads and writes whole files; writes are atomic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/function_ref.h"
#include "hilo/base/status.h"

namespace hilo {

inline constexpr int64_t kDefaultFileLimit = int64_t{4} << 30;  // bytes

/// Returns the Status of a failed system call: "what: No such file or directory". The code depends on `error`, an errno
/// value.
Status errno_status(int error, std::string_view what);

/// Reads a whole file, or a pipe up to its end.
/// Errors    NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a directory, a NUL in the path), RESOURCE_EXHAUSTED if the
///           file has more than `limit` bytes or memory is exhausted
StatusOr<std::string> read_file(const std::string& path, int64_t limit = kDefaultFileLimit);

/// Returns the maximum size of a file that begins with `beginning`, or an error if the format doesn't allow such a
/// file.
using LongestFile = FunctionRef<StatusOr<int64_t>(std::string_view beginning)>;

/// Reads a file of a known format. Reading stops at the maximum size that `longest` derives from the beginning, so
/// endless devices are no problem. `longest` is called after 64 KiB, 128 KiB, ..., not for shorter files.
/// Errors    those of `longest` and read_file
StatusOr<std::string> read_file(const std::string& path, LongestFile longest);

/// kFlushed: the file is flushed to disk and survives a crash of the machine. kCached: it survives only a crash of the
/// process.
enum class Durability : uint8_t { kFlushed, kCached };

/// Writes `content` to `path` atomically: to a temporary file in the same folder, flushed to disk, then renamed. A
/// reader sees either the old or the new file. After an error the temporary file is removed and `path` is unchanged.
///
/// The new file gets the old file's owner, access list and mode. Other hard links keep the old content; symbolic links
/// are followed. Devices, fifos (after waiting at most ten seconds for a reader) and descriptors of this process, such
/// as /dev/stdout, are written to directly. A file is written in place, not atomically, if the user may write to it but
/// not to its folder, or can't preserve its owner.
/// Errors    those of errno_status and find_output_place; UNAVAILABLE for a fifo without a reader; PERMISSION_DENIED
///           for a file without write access; RESOURCE_EXHAUSTED for a full disk, with the needed and the free bytes
/// Cost      flushing takes milliseconds; use kCached for reproducible files such as dumps
Status write_file_atomic(const std::string& path, std::string_view content,
                         Durability durability = Durability::kFlushed);

/// Writes a new file, without flushing.
/// Errors    ALREADY_EXISTS if a file or link exists; those of write_file_atomic
Status write_new_file(const std::string& path, std::string_view content);

/// Appends to a file, which is created if it doesn't exist. If it exists, it must be a regular file of this user with a
/// single name, because other users can create links and pipes in shared folders. The text is appended by one write if
/// possible.
/// Errors    ALREADY_EXISTS for any other file; those of errno_status
Status append_to_own_file(const std::string& path, std::string_view text);

/// Creates the directory and its parents. Existing ones are not changed.
/// Errors    those of errno_status; INVALID_ARGUMENT if a part of the path is not a directory
Status make_directories(const std::string& path);

/// Returns whether a file or directory of any kind exists.
bool file_exists(const std::string& path);

/// Converts any name to a valid file name: ASCII letters, digits, '-', '_' and '.', not hidden, at most 80 bytes.
/// Changed names end in a hash of the original name, so that they stay distinct.
std::string file_stem(std::string_view name);

}  // namespace hilo
