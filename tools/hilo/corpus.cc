// SPDX-License-Identifier: Apache-2.0
#include "tools/hilo/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "hilo/base/files.h"
#include "hilo/io/gzip.h"

namespace hilo::tool {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Returns the position of the value of `"key": value` between `begin` and `end`, or npos if the key doesn't exist.
size_t value_of(std::string_view json, std::string_view key, size_t begin, size_t end) {
  const std::string quoted = fmt::format("\"{}\"", key);
  const size_t at = json.substr(0, std::min(end, json.size())).find(quoted, begin);
  if (at == std::string_view::npos) return at;
  return json.find_first_not_of(": ", at + quoted.size());
}

/// Reads "xla_alt_err" of manifest.json into the programs. Both files have the same order; names without a program are
/// skipped.
void read_alternative_errors(std::string_view json, std::vector<RecordedProgram>& programs) {
  size_t at = 0;
  for (RecordedProgram& program : programs) {
    const size_t name = json.find(fmt::format("\"{}\"", program.name), at);
    if (name == std::string_view::npos) continue;
    at = name;
    const size_t next = value_of(json, "name", name, json.size());
    const size_t value = value_of(json, "xla_alt_err", name, next);
    if (value == std::string_view::npos) continue;
    std::from_chars(json.data() + value, json.data() + json.size(), program.alternative_error);
  }
}

}  // namespace

StatusOr<std::vector<RecordedProgram>> read_manifest(const std::string& folder) {
  HILO_ASSIGN_OR_RETURN(const std::string text, read_file(folder + "/manifest.tsv"));
  std::vector<RecordedProgram> programs;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    if (columns.size() < 8)
      return invalid_argument(fmt::format("{}/manifest.tsv: a line of {} columns; wanted 8", folder, columns.size()));
    programs.push_back({std::string(columns[0]), std::string(columns[1]), std::string(columns[7])});
  }
  if (file_exists(folder + "/manifest.json")) {
    HILO_ASSIGN_OR_RETURN(const std::string json, read_file(folder + "/manifest.json"));
    read_alternative_errors(json, programs);
  }
  return programs;
}

std::vector<std::string> archives_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().string().ends_with(".tar.gz")) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

StatusOr<Files> read_archive(const std::string& path) {
  constexpr size_t kBlock = 512;
  constexpr int64_t kMaxBytes = int64_t{1} << 30;
  HILO_ASSIGN_OR_RETURN(const std::string packed, read_file(path));
  HILO_ASSIGN_OR_RETURN(const std::string bytes, io::gunzip(packed, kMaxBytes));
  Files files;
  for (size_t at = 0; at + kBlock <= bytes.size();) {
    const std::string_view header = std::string_view(bytes).substr(at, kBlock);
    if (header[0] == '\0') break;
    const std::string_view name = header.substr(0, std::min<size_t>(100, header.find('\0')));
    const std::string_view digits = header.substr(124, 11);
    uint64_t size = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 8);
    if (failure != std::errc() || size > bytes.size() - at - kBlock)
      return invalid_argument(fmt::format("{}: the archive is damaged at byte {}", path, at));
    const char type = header[156];
    if (type == '0' || type == '\0')
      files[std::string(name.substr(name.rfind('/') + 1))] = bytes.substr(at + kBlock, size);
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return files;
}

}  // namespace hilo::tool
