// SPDX-License-Identifier: Apache-2.0
// rpc/server/tokens.h -- the tokens of a server's clients, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// In bytes.
inline constexpr size_t kShortestToken = 16;

struct NamedToken {
  std::string name = {};  ///< "" for a file with one token and no name
  std::string token;
};

/// The tokens of a text: "name token" a line; empty lines and those that begin with # are skipped. One line that isn't
/// of this form is one token without a name.
/// Errors    INVALID_ARGUMENT for a line of another form, a token of less than sixteen bytes, a name or token that
///           comes twice
StatusOr<std::vector<NamedToken>> tokens_of(std::string_view text);

/// The same for a file.
/// Errors    those of read_token
StatusOr<std::vector<NamedToken>> read_tokens(const std::string& path);

/// The token that a client sent as "Bearer TOKEN"; null if there is none. Takes the same time whichever it is.
const NamedToken* token_named(const std::vector<NamedToken>& tokens, std::string_view authorization);

}  // namespace hilo::rpc
