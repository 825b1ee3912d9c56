// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/error.h"

namespace hilo {
namespace {

thread_local std::source_location user_location;
thread_local bool has_user_location = false;

}  // namespace

void or_throw(const Status& status) {
  if (!status.ok()) throw Error(status);
}

UserLocation::UserLocation(const std::source_location& location) : outermost_(!has_user_location) {
  if (!outermost_) return;
  user_location = location;
  has_user_location = true;
}

UserLocation::~UserLocation() {
  if (outermost_) has_user_location = false;
}

const std::source_location* UserLocation::current() { return has_user_location ? &user_location : nullptr; }

std::string UserLocation::describe() { return has_user_location ? describe_location(user_location) : std::string(); }

std::string describe_location(const std::source_location& location) {
  std::string_view file = location.file_name();
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(location.line());
}

}  // namespace hilo
