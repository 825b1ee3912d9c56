// SPDX-License-Identifier: Apache-2.0
// base/files.h -- whole files in and out: a file that hilo writes is there whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hilo/base/function_ref.h"
#include "hilo/base/status.h"

namespace hilo {

inline constexpr int64_t kDefaultFileLimit = int64_t{4} << 30;  // bytes

/// The Status for a failed system call: "what: No such file or directory", NOT_FOUND and so on by `error` (an errno).
Status errno_status(int error, std::string_view what);

/// The whole file, or pipe up to its end.
/// Errors    NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a directory, a NUL in the path), RESOURCE_EXHAUSTED if the
///           file holds more than `limit` bytes or memory runs out.
StatusOr<std::string> read_file(const std::string& path, int64_t limit = kDefaultFileLimit);

/// The most bytes that a file may have which begins with `beginning`, or the error that these bytes are.
using LongestFile = FunctionRef<StatusOr<int64_t>(std::string_view beginning)>;

/// The same for a format: reading ends where a file that begins so must have ended, also of a device that never ends.
/// `longest` is asked after each 64 KiB, 128 KiB, ...; never for less.
/// Errors    those of `longest` and read_file
StatusOr<std::string> read_file(const std::string& path, LongestFile longest);

/// Whether a file is on the disk when it is written, and survives the machine; else it only survives the process.
enum class Durability : uint8_t { kFlushed, kCached };

/// Puts `content` at `path`: written to a temporary file beside it, flushed to the disk, then renamed over `path`. A
/// reader sees the old file or the new one. On an error the temporary file is removed and `path` is as it was. The new file
/// has the old one's owner, access list and mode; other names of the old one (hard links) keep the old content. Through a
/// link it writes where the link leads. A device or a fifo, for whose reader it waits ten seconds, is written to and stays; a descriptor of this process too, under
/// any of its names, such as /dev/stdout. A file is written in place, and not at once, where this user may write to it and
/// not to its folder, or can't keep its owner.
/// Errors    as errno_status, those of find_output_place; UNAVAILABLE for a fifo that nothing reads from; PERMISSION_DENIED for a file that this user may not write to; a
///           full disk is RESOURCE_EXHAUSTED and says how much was needed and how much was free.
/// Cost      flushing takes milliseconds; kCached is for what can be made again, dumps for example
Status write_file_atomic(const std::string& path, std::string_view content,
                         Durability durability = Durability::kFlushed);

/// The same where nothing may be yet, neither file nor link; never flushed.
/// Errors    ALREADY_EXISTS, and those of write_file_atomic
Status write_new_file(const std::string& path, std::string_view content);

/// Appends to a file that is new or this user's alone, in one piece if the system takes it whole. Whatever else has the
/// name, such as a link or a pipe that somebody put into a folder of all, is left alone.
/// Errors    ALREADY_EXISTS for such, and as errno_status
Status append_to_own_file(const std::string& path, std::string_view text);

/// Makes the directory and its parents; those that exist stay as they are.
/// Errors    as errno_status, and INVALID_ARGUMENT if something on the way is not a directory.
Status make_directories(const std::string& path);

/// True if there is a file or directory of any kind.
bool file_exists(const std::string& path);

/// A file name for any name a program may hold: ASCII letters, digits, '-', '_' and '.', never hidden, at
/// most 80 bytes. Names that had to change end in a hash of the original, so that two of them stay apart.
std::string file_stem(std::string_view name);

}  // namespace hilo
