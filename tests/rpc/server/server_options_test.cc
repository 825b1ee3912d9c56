// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/server/server_options.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace hilo::rpc {
namespace {

TEST(Listen, LoopbackIsWhatOthersCannotReach) {
  for (const char* const here : {"127.0.0.1:0", "127.9.8.7:1", "localhost:80", "[::1]:8470"})
    EXPECT_TRUE(is_loopback(here));
  for (const char* const there :
       {"0.0.0.0:1", "127.example.org:1", "[::]:1", "10.0.0.1:1", "localhost.org:1", "", "::1"})
    EXPECT_FALSE(is_loopback(there)) << there;
}

TEST(Listen, AnAddressThatOthersReachNeedsTlsAndToKnowItsClients) {
  ServerOptions options{.listen = "0.0.0.0:8470"};
  EXPECT_EQ(check_listen(options).to_string(),
            "FAILED_PRECONDITION: listen: other machines can reach '0.0.0.0:8470', and there is no TLS. Hint: use TLS "
            "with a token file or client certificates, or 127.0.0.1");
  options.token_file = "t";
  EXPECT_EQ(check_listen(options).code(), StatusCode::kFailedPrecondition);
  options.tls_certificate = "c";
  EXPECT_EQ(check_listen(options).code(), StatusCode::kInvalidArgument);
  options.tls_key = "k";
  EXPECT_TRUE(check_listen(options).ok());
  options.token_file = "";
  EXPECT_NE(check_listen(options).message().find("their users could run programs here"), std::string::npos);
  options.tls_client_ca = "a";
  EXPECT_TRUE(check_listen(options).ok());
  EXPECT_EQ(check_listen({.listen = "127.0.0.1:0", .tls_client_ca = "a"}).code(), StatusCode::kInvalidArgument);
  for (const char* const bad : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", ":80", "::1:80", "127.0.0.1:x"})
    EXPECT_EQ(check_listen({.listen = bad}).code(), StatusCode::kInvalidArgument) << bad;
}

TEST(Listen, OnLoopbackAServerMakesATokenUnlessItKnowsItsClientsOrIsOpen) {
  EXPECT_TRUE(makes_token({}));
  EXPECT_FALSE(makes_token({.is_open = true}));
  EXPECT_FALSE(makes_token({.token_file = "t"}));
  EXPECT_FALSE(makes_token({.tls_certificate = "c", .tls_key = "k", .tls_client_ca = "a"}));
  EXPECT_FALSE(makes_token({.listen = "unix:/run/hilo.sock"}));
  EXPECT_FALSE(makes_token({.listen = "0.0.0.0:1", .token_file = "t", .tls_certificate = "c", .tls_key = "k"}));
}

TEST(Listen, AnOpenServerIsForThisMachineAndSaysWhatThatMeans) {
  EXPECT_EQ(open_warning({}), "");
  EXPECT_NE(open_warning({.is_open = true}).find("every user of this machine can run programs as user"),
            std::string::npos);
  EXPECT_TRUE(check_listen({.is_open = true}).ok());
  EXPECT_EQ(check_listen({.token_file = "t", .is_open = true}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_listen({.listen = "0.0.0.0:1", .is_open = true, .tls_certificate = "c", .tls_key = "k"}).code(),
            StatusCode::kFailedPrecondition);
}

TEST(Listen, AUnixSocketIsLocalAndAloneKnowsUsers) {
  EXPECT_TRUE(check_listen({.listen = "unix:/run/hilo.sock", .users = {1}}).ok());
  EXPECT_TRUE(check_listen({.listen = "unix:relative"}).ok());
  EXPECT_TRUE(is_local("unix:/run/hilo.sock"));
  EXPECT_FALSE(is_loopback("unix:/run/hilo.sock"));
  EXPECT_FALSE(is_local("10.0.0.1:1"));
  EXPECT_EQ(check_listen({.listen = "unix:"}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(check_listen({.users = {1}}).code(), StatusCode::kInvalidArgument);
}

TEST(Listen, ATokenThatOthersCanReadIsRefused) {
  const std::string path = testing::TempDir() + "hilo_token";
  std::ofstream(path) << "0123456789abcdef\n";
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(read_token(path).status().code(), StatusCode::kPermissionDenied);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(read_token(path).value(), "0123456789abcdef");
  std::ofstream(path) << "short\n";
  EXPECT_EQ(read_token(path).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_token(path + ".none").status().code(), StatusCode::kNotFound);
}

TEST(Listen, TextsAreEqualInConstantTimeIfTheyAreEqual) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
  for (const char* const other : {"abd", "ab", "abcabc", "", "xbc"}) EXPECT_FALSE(equal_in_constant_time(other, "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", ""));
}

}  // namespace
}  // namespace hilo::rpc
