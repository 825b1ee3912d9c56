// SPDX-License-Identifier: Apache-2.0
// rpc/server/tokens.h -- the named tokens of a server's clients.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"

namespace hilo::rpc {

/// Minimum bytes of a token.
inline constexpr size_t kMinTokenBytes = 16;

struct NamedToken {
  std::string name = {};  ///< "" for a file with a single token without a name
  std::string token;
};

/// Parses lines "name token". Empty lines and lines that begin with # are skipped. A single line without a name is one
/// unnamed token.
/// Errors    INVALID_ARGUMENT for a line of another form, a token of less than sixteen bytes, or a duplicate name or
///           token
StatusOr<std::vector<NamedToken>> tokens_of(std::string_view text);

/// Reads the tokens of a file.
/// Errors    those of read_token and tokens_of
StatusOr<std::vector<NamedToken>> read_tokens(const std::string& path);

/// Returns the token of the header "Bearer TOKEN", or null. The time is independent of which token matches.
const NamedToken* token_named(const std::vector<NamedToken>& tokens, std::string_view authorization);

}  // namespace hilo::rpc
