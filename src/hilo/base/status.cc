// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/status.h"

#include "hilo/base/sizes.h"

#include <array>

namespace hilo {

std::string_view status_code_name(StatusCode code) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return kNames[ordinal(code)];
}

Status::Status(StatusCode code, std::string message) {
  if (code != StatusCode::kOk) error_ = std::make_shared<const Error>(Error{code, std::move(message)});
}

std::string Status::to_string() const {
  if (ok()) return "OK";
  return std::string(status_code_name(error_->code)) + ": " + error_->message;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return Status(error_->code, std::string(context) + ": " + error_->message);
}

Status cancelled(std::string message) { return Status(StatusCode::kCancelled, std::move(message)); }
Status invalid_argument(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }
Status not_found(std::string message) { return Status(StatusCode::kNotFound, std::move(message)); }
Status already_exists(std::string message) { return Status(StatusCode::kAlreadyExists, std::move(message)); }
Status permission_denied(std::string message) { return Status(StatusCode::kPermissionDenied, std::move(message)); }
Status resource_exhausted(std::string message) { return Status(StatusCode::kResourceExhausted, std::move(message)); }
Status failed_precondition(std::string message) { return Status(StatusCode::kFailedPrecondition, std::move(message)); }
Status out_of_range(std::string message) { return Status(StatusCode::kOutOfRange, std::move(message)); }
Status unimplemented(std::string message) { return Status(StatusCode::kUnimplemented, std::move(message)); }
Status unavailable(std::string message) { return Status(StatusCode::kUnavailable, std::move(message)); }
Status data_loss(std::string message) { return Status(StatusCode::kDataLoss, std::move(message)); }
Status internal_error(std::string message) {
  return Status(StatusCode::kInternal, std::move(message) + " (this is a bug in hilo)");
}

}  // namespace hilo
