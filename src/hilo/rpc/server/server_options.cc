// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/server_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include "hilo/base/text.h"
#include "hilo/rpc/secret_file.h"
#include "hilo/rpc/server/address.h"
#include "hilo/rpc/server/tokens.h"

namespace hilo::rpc {
namespace {

/// Returns the host: "127.0.0.1" for "127.0.0.1:8470", "::1" for "[::1]:8470"; "" for an invalid address.
std::string_view host_of(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || !unix_path(address).empty()) return "";
  const std::optional<int64_t> port = parse_int64(address.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return "";
  std::string_view host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') return host.substr(1, host.size() - 2);
  return host.find(':') == std::string_view::npos ? host : "";
}

}  // namespace

bool is_loopback(std::string_view address) {
  const std::string_view host = host_of(address);
  if (host == "localhost" || host == "::1") return true;
  // Only digits and dots, because 127.example.org is a name.
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_local(std::string_view address) { return is_loopback(address) || !unix_path(address).empty(); }

bool makes_token(const ServerOptions& options) {
  return is_loopback(options.listen) && !options.is_open && options.token_file.empty() && options.tls_client_ca.empty();
}

std::string open_warning(const ServerOptions& options) {
  if (!options.is_open) return "";
  return fmt::format(
      "open: every user of this machine can run programs as user {}, use its memory and processors, and see all "
      "sessions",
      ::geteuid());
}

namespace {

/// Checks for options that exclude each other.
Status check_who_comes(const ServerOptions& options) {
  const bool is_unix = !unix_path(options.listen).empty();
  if (options.is_open && !options.token_file.empty())
    return invalid_argument("an open server has no token, but a token file was passed");
  if (options.is_open && !is_local(options.listen))
    return failed_precondition(fmt::format("listen: other machines can reach {}, so it can't be open. Hint: 127.0.0.1",
                                           quote(options.listen)));
  if (!options.users.empty() && !is_unix)
    return invalid_argument("users can be selected only for a Unix socket. Hint: listen at unix:/path");
  return ok_status();
}

}  // namespace

Status check_listen(const ServerOptions& options) {
  const bool is_unix = !unix_path(options.listen).empty();
  if (host_of(options.listen).empty() && !is_unix)
    return invalid_argument(fmt::format("listen: got {}; wanted host:port or unix:/path", quote(options.listen)));
  HILO_RETURN_IF_ERROR(check_who_comes(options));
  if (options.tls_certificate.empty() != options.tls_key.empty())
    return invalid_argument("TLS needs a certificate and its key; got only one of them");
  if (!options.tls_client_ca.empty() && options.tls_certificate.empty())
    return invalid_argument("client certificates need TLS. Hint: pass a certificate and a key of the server");
  if (is_local(options.listen)) return ok_status();
  const bool is_encrypted = !options.tls_certificate.empty();
  const bool knows_clients = !options.token_file.empty() || !options.tls_client_ca.empty();
  if (is_encrypted && knows_clients) return ok_status();
  return failed_precondition(
      fmt::format("listen: other machines can reach {}, and {}. Hint: use TLS with a token file or client "
                  "certificates, or 127.0.0.1",
                  quote(options.listen), is_encrypted ? "their users could run programs here" : "there is no TLS"));
}

StatusOr<std::string> read_token(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string text, read_secret(path));
  const std::string_view token = trimmed(text);
  if (token.size() < kMinTokenBytes) {
    return invalid_argument(fmt::format("{}: a token of {} bytes; wanted at least {}. Hint: openssl rand -hex 32", path,
                                        token.size(), kMinTokenBytes));
  }
  return std::string(token);
}

bool equal_in_constant_time(std::string_view got, std::string_view wanted) {
  // The number of steps depends only on the length of the caller's own text.
  volatile unsigned difference = got.size() == wanted.size() ? 0 : 1;
  for (size_t i = 0; i < got.size(); ++i) {
    const char other = wanted.empty() ? '\0' : wanted[i % wanted.size()];
    difference = difference | static_cast<unsigned>(static_cast<unsigned char>(got[i] ^ other));
  }
  return difference == 0;
}

}  // namespace hilo::rpc
