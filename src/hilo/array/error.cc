// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/error.h"

namespace hilo {
namespace {

/// The lines of a thread, in one struct because each thread-local access is a call.
struct Lines {
  SourceLine call, transformation;
};
constinit thread_local Lines lines{};

SourceLine line_of(const std::source_location& location) { return {location.file_name(), location.line()}; }

}  // namespace

void or_throw(const Status& status) {
  if (!status.ok()) throw Error(status);
}

LocationScope::LocationScope() : call_(lines.call), transformation_(lines.transformation) {}

LocationScope::~LocationScope() { lines = {call_, transformation_}; }

UserLocation::UserLocation(const std::source_location& location) {
  if (lines.call.line == 0) lines.call = line_of(location);
}

SourceLine UserLocation::current() { return lines.call.line != 0 ? lines.call : lines.transformation; }

std::string UserLocation::describe() { return describe_location(current()); }

InstructionLocation::InstructionLocation(const SourceLine& line) {
  if (line.line != 0) lines.call = line;
}

TransformationLocation::TransformationLocation(const std::source_location& location) {
  lines.transformation = line_of(location);
}

std::string describe_location(const SourceLine& line) {
  if (line.line == 0) return "";
  std::string_view file = line.file;
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(line.line);
}

std::string describe_location(const std::source_location& location) { return describe_location(line_of(location)); }

std::string at_user_line(std::string_view what) {
  const std::string where = UserLocation::describe();
  return std::string(what) + (where.empty() ? "" : " (" + where + ")");
}

}  // namespace hilo
