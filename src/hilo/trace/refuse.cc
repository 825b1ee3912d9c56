// SPDX-License-Identifier: Apache-2.0
#include "hilo/trace/refuse.h"

#include "hilo/trace/error.h"

namespace hilo {

void refuse(std::string_view function, const std::string& why) {
  throw Error(invalid_argument(at_user_line(function) + ": " + why));
}

}  // namespace hilo
