// SPDX-License-Identifier: Apache-2.0
#include "hilo/array/refuse.h"

#include "hilo/array/error.h"

namespace hilo {

void refuse(std::string_view function, const std::string& why) {
  throw Error(invalid_argument(at_user_line(function) + ": " + why));
}

}  // namespace hilo
