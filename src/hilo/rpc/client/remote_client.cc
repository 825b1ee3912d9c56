// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/client/remote_client.h"

#include <fmt/format.h>

#include <cstdlib>

#include "hilo/base/files.h"
#include "hilo/base/text.h"
#include "hilo/rpc/client/rpc_client.h"
#include "hilo/rpc/grpc_table.h"
#include "hilo/rpc/secret_file.h"
#include "hilo/rpc/user_token.h"

namespace hilo::rpc {
namespace {

constexpr int64_t kMaxFileBytes = 1 << 20;

/// Reads the file that the environment variable names by `read`. Returns "" if it isn't set.
template <typename Read>
StatusOr<std::string> file_of(const char* variable, Read read) {
  const char* const path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return std::string();
  StatusOr<std::string> text = read(path);
  if (!text.ok()) return text.status().with_context(variable);
  return std::string(trimmed(*text));
}

StatusOr<std::string> read_public(const std::string& path) { return read_file(path, kMaxFileBytes); }

/// Returns the token in HILO_XRT_TOKEN_FILE, or else the one that a server of this user has published.
StatusOr<std::string> token_for(std::string_view address) {
  HILO_ASSIGN_OR_RETURN(std::string token, file_of("HILO_XRT_TOKEN_FILE", read_secret));
  if (!token.empty()) return token;
  return find_user_token(address);
}

/// Returns the time to reconnect, from the environment.
StatusOr<RetryPolicy> retry() {
  constexpr int64_t kMax = 1'000'000;
  RetryPolicy retry;
  const char* const text = std::getenv("HILO_XRT_RECONNECT_SECONDS");
  if (text == nullptr || *text == '\0') return retry;
  const std::optional<int64_t> seconds = parse_int64(text);
  if (!seconds || *seconds < 0 || *seconds > kMax)
    return invalid_argument(fmt::format("HILO_XRT_RECONNECT_SECONDS: got {}; wanted 0 to {}", quote(text), kMax));
  retry.time = std::chrono::seconds(*seconds);
  return retry;
}

bool is_address(std::string_view address) {
  constexpr std::string_view kUnix = "unix:";
  if (address.starts_with(kUnix)) return address.size() > kUnix.size();
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const int64_t port = parse_int64(address.substr(colon + 1)).value_or(0);
  return port >= 1 && port <= 65535;
}

StatusOr<ChannelOptions> channel_options(std::string_view target) {
  constexpr std::string_view kScheme = "rpc:";
  const std::string_view address = target.starts_with(kScheme) ? target.substr(kScheme.size()) : "";
  if (!is_address(address))
    return invalid_argument(fmt::format("target {}: wanted rpc:host:port or rpc:unix:/path", quote(target)));
  ChannelOptions options{.address = std::string(address)};
  HILO_ASSIGN_OR_RETURN(options.token, token_for(address));
  HILO_ASSIGN_OR_RETURN(options.ca, file_of("HILO_XRT_TLS_CA", read_public));
  HILO_ASSIGN_OR_RETURN(options.certificate, file_of("HILO_XRT_TLS_CERTIFICATE", read_public));
  HILO_ASSIGN_OR_RETURN(options.key, file_of("HILO_XRT_TLS_KEY", read_secret));
  return options;
}

}  // namespace

StatusOr<ClientPtr> make_remote_client(ClientOptions options) {
  HILO_ASSIGN_OR_RETURN(const ChannelOptions channel, channel_options(options.target));
  HILO_ASSIGN_OR_RETURN(RetryPolicy retry, hilo::rpc::retry());
  HILO_ASSIGN_OR_RETURN(const GrpcTable* const grpc, open_companion<GrpcTable>());
  const Connect connect = [grpc, channel](std::shared_ptr<Receiver> receiver) {
    return grpc->connect(channel, std::move(receiver));
  };
  return make_rpc_client(std::move(options), connect, std::move(retry));
}

StatusOr<AskOverview> watch_server(std::string_view target) {
  HILO_ASSIGN_OR_RETURN(const ChannelOptions channel, channel_options(target));
  HILO_ASSIGN_OR_RETURN(const GrpcTable* const grpc, open_companion<GrpcTable>());
  return grpc->watch(channel);
}

}  // namespace hilo::rpc
