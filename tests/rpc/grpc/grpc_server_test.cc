// SPDX-License-Identifier: Apache-2.0
// The complete path over gRPC: a loopback server whose workers are threads of the test, and clients of its address.
#include "hilo/rpc/server/server.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "hilo/base/flags.h"
#include "hilo/client/platform_name.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/inspect/profile/profile.h"
#include "hilo/lax/collective.h"
#include "hilo/lax/elementwise.h"
#include "hilo/numpy/numpy.h"
#include "hilo/rpc/client/remote_client.h"
#include "hilo/rpc/worker/arena.h"
#include "hilo/transform/grad.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/pmap.h"
#include "tests/paths.h"

namespace hilo::rpc {
namespace {

/// Workers on threads instead of processes, so that sanitizers instrument them.
class Workers {
 public:
  ~Workers() {
    for (std::thread& thread : threads_) thread.join();
  }
  StatusOr<WorkerFiles> start() {
    HILO_ASSIGN_OR_RETURN(SocketPair pair, make_socket_pair());
    HILO_ASSIGN_OR_RETURN(OwnedFile arena, make_arena());
    WorkerFiles here{std::move(pair.here), OwnedFile(::dup(arena.get()))};
    const auto there = std::make_shared<WorkerFiles>(std::move(pair.there), std::move(arena));
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back([this, there] { serve_session(std::move(*there), options_, {}); });
    return here;
  }

 private:
  const WorkerOptions options_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

class GrpcServer : public testing::Test {
 protected:
  void SetUp() override {
    clear_backends();
    const std::string runtime = testing::TempDir() + "hilo_runtime";
    ASSERT_TRUE(::mkdir(runtime.c_str(), 0700) == 0 || errno == EEXIST);
    ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("HILO_XRT_TOKEN_FILE");
    reset_flags();
    clear_backends();
    server_.reset();
  }
  void serve(ServerOptions options = {}) {
    if (!options.listen.starts_with("unix:")) options.listen = "127.0.0.1:0";
    StatusOr<std::unique_ptr<Server>> server = start_server(options, [this] { return workers_.start(); });
    ASSERT_TRUE(server.ok()) << server.status().to_string();
    server_ = *std::move(server);
  }
  std::string target() const { return "rpc:" + server_->address(); }
  void use_server() {
    clear_backends();
    ASSERT_TRUE(config().update("jax_xla_backend", "xrt").ok());
    ASSERT_TRUE(config().update("jax_backend_target", target()).ok());
  }
  /// Expects that a new client fails with UNAVAILABLE, the server's name and these words.
  void expect_refused(const std::string& words) {
    const std::string text = client().status().to_string();
    EXPECT_EQ(text.find("UNAVAILABLE: " + target() + ": "), 0u) << text;
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
  StatusOr<ClientPtr> client() { return make_remote_client({.backend = "xrt", .target = target()}); }

  Workers workers_;
  std::unique_ptr<Server> server_;
};

std::vector<float> computed() {
  const Array x = numpy::arange(6).astype(ElementType::kF32).reshape({2, 3});
  std::vector<float> got = jit([](Array a) { return lax::exp(a) * 0.5f; })(x).to_vector<float>();
  for (const float v : grad([](Array a) { return numpy::sum(lax::sin(a) * a); })(x).to_vector<float>())
    got.push_back(v);
  const auto total = pmap([](Array row) { return lax::psum(row, "i") - row; }, "i");
  for (const float v : total(x).to_vector<float>()) got.push_back(v);
  return got;
}

TEST_F(GrpcServer, JittedFunctionsGiveThereWhatTheyGiveHereBitForBit) {
  ASSERT_TRUE(config().update("jax_replica_count", 2).ok());
  const std::vector<float> wanted = computed();
  serve();
  use_server();
  ASSERT_TRUE(config().update("jax_replica_count", 2).ok());
  EXPECT_EQ(computed(), wanted);
  EXPECT_EQ(default_platform_name(), "Host");
  EXPECT_EQ(server_->counts().live, 1);
}

/// The programs that ran with steps, and their number of runs.
std::vector<std::string> profiled_steps() {
  clear_profiles();
  EXPECT_TRUE(config().update("jax_hlo_profile", true).ok());
  const auto step = jit([](Array x) { return lax::tanh(numpy::matmul(x, x)) + numpy::sum(lax::sin(x)); });
  Array x = numpy::arange(64 * 64).astype(ElementType::kF32).reshape({64, 64});
  for (int i = 0; i < 3; ++i) x = step(x);
  static_cast<void>(x.to_vector<float>());
  std::vector<std::string> rows;
  for (const Profile& profile : profiles()) {
    for (const ProfileRow& row : profile.rows) {
      std::string text = profile.module + " " + std::to_string(profile.runs) + " " + row.kind + " " + row.name + " " +
                         std::to_string(row.calls) + " " + std::to_string(row.flops) + " " + std::to_string(row.bytes);
      for (const std::string& line : row.lines) text += ", " + line;
      EXPECT_GE(row.nanoseconds, 0);
      rows.push_back(text);
    }
  }
  std::ranges::sort(rows);  // they are sorted by cost
  clear_profiles();
  return rows;
}

TEST_F(GrpcServer, AProfileOfRunsThereIsThatOfRunsHere) {
  const std::vector<std::string> here = profiled_steps();
  serve();
  use_server();
  EXPECT_EQ(profiled_steps(), here);
  EXPECT_GT(here.size(), 2u);
}

TEST_F(GrpcServer, LargeArraysGoThereAndBack) {
  serve();
  const StatusOr<ClientPtr> remote = client();
  ASSERT_TRUE(remote.ok()) << remote.status().to_string();
  Literal large(Shape::array(ElementType::kS32, {5 << 20}));
  for (size_t i = 0; i < large.data<int32_t>().size(); ++i)
    large.data<int32_t>()[i] = static_cast<int32_t>(i * 2654435761u);
  const BufferPtr there = *buffer_from_literal(**(*remote)->local_device(0), large);
  EXPECT_TRUE(literal_from_buffer(*there)->identical(large));
}

TEST_F(GrpcServer, NobodyIsLetInWithoutTheToken) {
  const std::string path = testing::TempDir() + "hilo_grpc_token", other = path + ".other";
  std::ofstream(path) << "0123456789abcdef";
  std::ofstream(other) << "0123456789abcdeF";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  serve({.token_file = path});
  EXPECT_EQ(client().status().to_string(), "UNAUTHENTICATED: " + target() + ": the token is missing or wrong");
  for (const std::string& file : {path, other}) ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  ::setenv("HILO_XRT_TOKEN_FILE", path.c_str(), 1);
  EXPECT_EQ(client().status().code(), StatusCode::kPermissionDenied);
  EXPECT_NE(client().status().message().find("chmod 600 " + path), std::string::npos) << client().status().to_string();
  for (const std::string& file : {path, other}) ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  ::setenv("HILO_XRT_TOKEN_FILE", other.c_str(), 1);
  EXPECT_EQ(client().status().code(), StatusCode::kUnauthenticated);
  EXPECT_EQ((*watch_server(target()))().status().code(), StatusCode::kUnauthenticated);
  ::setenv("HILO_XRT_TOKEN_FILE", path.c_str(), 1);
  EXPECT_TRUE(client().ok()) << client().status().to_string();
}

/// The certificates, copied to a folder in which no other user can read their keys.
const std::string& certificates() {
  static const std::string folder = [] {
    const std::string copy = testing::TempDir() + "hilo_certificates/";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(std::string(tests::kSourceDir) + "/tests/rpc/grpc/certificates", copy);
    for (const auto& file : std::filesystem::directory_iterator(copy)) ::chmod(file.path().c_str(), 0600);
    return copy;
  }();
  return folder;
}

/// Sets or clears the certificates of a client.
void set_tls(const std::string& ca, const std::string& own) {
  const std::string& folder = certificates();
  const auto set = [&](const char* name, const std::string& file, const char* ending) {
    if (file.empty()) ::unsetenv(name);
    else ::setenv(name, (folder + file + ending).c_str(), 1);
  };
  set("HILO_XRT_TLS_CA", ca, ".pem");
  set("HILO_XRT_TLS_CERTIFICATE", own, ".pem");
  set("HILO_XRT_TLS_KEY", own, ".key");
}

TEST_F(GrpcServer, WithTlsWhoHasACertificateIsLetInAndNobodyElse) {
  const std::string& folder = certificates();
  serve(
      {.tls_certificate = folder + "server.pem", .tls_key = folder + "server.key", .tls_client_ca = folder + "ca.pem"});
  set_tls("ca", "client");
  const StatusOr<ClientPtr> known = client();
  ASSERT_TRUE(known.ok()) << known.status().to_string();
  const BufferPtr x = *buffer_from_literal(**(*known)->local_device(0), Literal::scalar(3.0f));
  EXPECT_EQ(literal_from_buffer(*x)->to_string(), "f32[] 3");
  for (const char* const own : {"", "stranger"}) {
    set_tls("ca", own);
    EXPECT_EQ(client().status().code(), StatusCode::kUnavailable) << own;
  }
  set_tls("stranger", "client");  // not signed by the server's authority
  expect_refused("certificate verify failed (3 tries");
  set_tls("", "");
  expect_refused("Socket closed. Hint: if the server uses TLS, set HILO_XRT_TLS_CA (3 tries");
  server_.reset();
  serve();
  set_tls("ca", "");
  expect_refused("Hint: the server doesn't use TLS, but HILO_XRT_TLS_CA is set (3 tries");
  set_tls("", "");
}

TEST_F(GrpcServer, AnExpiredCertificateIsRefused) {
  const std::string& folder = certificates();
  serve({.tls_certificate = folder + "expired.pem", .tls_key = folder + "expired.key"});
  set_tls("ca", "");
  EXPECT_EQ(client().status().code(), StatusCode::kUnavailable);
  set_tls("", "");
}

TEST_F(GrpcServer, AKeyThatOthersCanReadIsRefusedOnBothSides) {
  const std::string& folder = certificates();
  ASSERT_EQ(::chmod((folder + "server.key").c_str(), 0640), 0);
  const ServerOptions options{
      .listen = "127.0.0.1:0", .tls_certificate = folder + "server.pem", .tls_key = folder + "server.key"};
  EXPECT_EQ(start_server(options, [this] { return workers_.start(); }).status().to_string(),
            "PERMISSION_DENIED: " + folder + "server.key: other users can read this secret. Hint: chmod 600 " + folder +
                "server.key");
  ASSERT_EQ(::chmod((folder + "server.key").c_str(), 0600), 0);
  serve(options);
  set_tls("ca", "client");
  ASSERT_EQ(::chmod((folder + "client.key").c_str(), 0604), 0);
  EXPECT_EQ(client().status().code(), StatusCode::kPermissionDenied);
  ASSERT_EQ(::chmod((folder + "client.key").c_str(), 0600), 0);
  EXPECT_TRUE(client().ok()) << client().status().to_string();
  set_tls("", "");
}

// ---- Access by default.

TEST_F(GrpcServer, OnLoopbackAloneTheServersUserIsLetInWithoutAWord) {
  serve();
  EXPECT_TRUE(client().ok()) << client().status().to_string();
  EXPECT_TRUE((*watch_server(target()))().ok());
  const std::string path = server_->token_path();
  EXPECT_TRUE(path.ends_with("/hilo/" + server_->address() + ".token")) << path;
  const std::string hidden = path + ".hidden";  // as for another user without access to the folder
  ASSERT_EQ(::rename(path.c_str(), hidden.c_str()), 0);
  EXPECT_EQ(client().status().code(), StatusCode::kUnauthenticated);
  EXPECT_EQ((*watch_server(target()))().status().code(), StatusCode::kUnauthenticated);
  ASSERT_EQ(::rename(hidden.c_str(), path.c_str()), 0);
  server_.reset();
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST_F(GrpcServer, AnOpenServerLetsInEverybody) {
  serve({.is_open = true});
  EXPECT_EQ(server_->token_path(), "");
  EXPECT_TRUE(client().ok()) << client().status().to_string();
}

TEST_F(GrpcServer, AUnixSocketLetsInThisUser) {
  const std::string path = testing::TempDir() + "hilo_grpc.sock";
  serve({.listen = "unix:" + path});
  EXPECT_EQ(target(), "rpc:unix:" + path);
  const StatusOr<ClientPtr> remote = client();
  ASSERT_TRUE(remote.ok()) << remote.status().to_string();
  Literal large(Shape::array(ElementType::kS32, {1 << 20}));
  for (size_t i = 0; i < large.data<int32_t>().size(); ++i) large.data<int32_t>()[i] = static_cast<int32_t>(i);
  const BufferPtr there = *buffer_from_literal(**(*remote)->local_device(0), large);
  EXPECT_TRUE(literal_from_buffer(*there)->identical(large));
  EXPECT_TRUE((*watch_server(target()))().ok());
}

// ---- The operator's messages.

/// The audit lines, each as "event cause", without times, peers and numbers of sessions.
std::vector<std::string> audit_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  const auto value = [](const std::string& line, const std::string& name) {
    const size_t at = line.find("\"" + name + "\": \"");
    if (at == std::string::npos) return std::string();
    const size_t begin = at + name.size() + 5;
    return line.substr(begin, line.find('"', begin) - begin);
  };
  for (std::string line; std::getline(file, line);) {
    EXPECT_TRUE(value(line, "event") == "started" || value(line, "peer").starts_with("ipv4:127.0.0.1:")) << line;
    lines.push_back(value(line, "event") + " " + value(line, "cause"));
  }
  return lines;
}

TEST_F(GrpcServer, SessionsRefusalsAndLimitsAreAudited) {
  const std::string path = testing::TempDir() + "hilo_grpc_audit";
  ::unlink(path.c_str());
  serve({.sessions = {.sessions = 1, .queue_time = std::chrono::milliseconds(0)}, .audit = {.to = path}});
  {
    const StatusOr<ClientPtr> first = client();
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(client().status().code(), StatusCode::kResourceExhausted);
    CompileOptions few;
    few.limits.instructions = 1;
    const auto program = (*first)->compile(
        *hlo::parse_module("HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] sine(x)\n}\n"), few,
        nullptr);
    EXPECT_EQ(program.status().code(), StatusCode::kResourceExhausted);
  }
  while (server_->counts().live != 0) std::this_thread::yield();
  const std::string token = server_->token_path();
  std::ofstream(token) << "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(client().status().code(), StatusCode::kUnauthenticated);
  ::unlink(token.c_str());
  EXPECT_EQ(client().status().code(), StatusCode::kUnauthenticated);
  const std::string address = server_->address();
  server_.reset();
  std::vector<std::string> lines = audit_lines(path);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("left "); });
  const std::vector<std::string> wanted = {"started " + address,
                                           "opened ",
                                           "refused RESOURCE_EXHAUSTED: quota: 1 sessions of 1",
                                           "limit RESOURCE_EXHAUSTED",
                                           "closed the client ended it",
                                           "refused the token is wrong",
                                           "refused the token is missing"};
  ASSERT_EQ(lines.size(), wanted.size()) << fmt::format("{}", fmt::join(lines, "\n"));
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_TRUE(lines[i].starts_with(wanted[i])) << lines[i];
}

TEST_F(GrpcServer, RefusesMoreSessionsThanItMayHaveAndAllWhileItEnds) {
  serve({.sessions = {.sessions = 1, .queue_time = std::chrono::milliseconds(0)}});
  const StatusOr<ClientPtr> first = client();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(client().status().to_string(), "RESOURCE_EXHAUSTED: " + target() + ": quota: 1 sessions of 1");
  EXPECT_FALSE(server_->drain(std::chrono::milliseconds(0)));
  EXPECT_EQ(literal_from_buffer(**buffer_from_literal(**(*first)->local_device(0), Literal::scalar(3.0f)))->to_string(),
            "f32[] 3");
  expect_refused("the server is shutting down (3 tries");
}

TEST_F(GrpcServer, SaysHowItIsToWhoIsLetInWithoutASession) {
  serve();
  const AskOverview ask = *watch_server(target());
  EXPECT_EQ(ask()->sessions.size(), 0u);
  const StatusOr<ClientPtr> remote = client();
  ASSERT_TRUE(remote.ok());
  const BufferPtr x = *buffer_from_literal(**(*remote)->local_device(0), Literal::scalar(3.0f));
  ASSERT_TRUE(literal_from_buffer(*x).ok());
  StatusOr<Overview> seen = ask();  // queries the worker
  while (seen.ok() && seen->sessions.at(0).report_seconds < 0) seen = ask();
  ASSERT_TRUE(seen.ok()) << seen.status().to_string();
  EXPECT_EQ(seen->sessions_begun, 1);
  EXPECT_EQ(seen->connections, 2);
  const SessionOverview& session = seen->sessions[0];
  EXPECT_EQ(session.number, 1);
  EXPECT_TRUE(session.has_client);
  EXPECT_EQ(session.replies, 3);  // hello, upload, download
  EXPECT_EQ(session.report.buffers, 1);
  EXPECT_EQ(session.report.live_bytes, 4);
  EXPECT_GT(session.report.memory_bytes, 1 << 20);
  server_.reset();
  EXPECT_EQ(ask().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(watch_server("local").status().code(), StatusCode::kInvalidArgument);
}

TEST_F(GrpcServer, AnAddressThatIsTakenIsAnError) {
  serve();
  ServerOptions same;
  same.listen = "127.0.0.1:" + std::to_string(server_->port());
  EXPECT_EQ(start_server(same, [this] { return workers_.start(); }).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(start_server({.listen = "0.0.0.0:0"}, {}).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(GrpcServer, NoServerIsUnavailableAndATargetThatIsNoneInvalid) {
  serve();
  const std::string gone = target();
  server_.reset();
  const std::string text = make_remote_client({.target = gone}).status().to_string();
  EXPECT_EQ(text.find("UNAVAILABLE: " + gone + ": "), 0u) << text;
  EXPECT_NE(text.find("Connection refused (3 tries"), std::string::npos) << text;
  for (const char* const bad : {"rpc:", "rpc:host", "rpc:host:0", "rpc::80", "host:80", "rpc:host:99999"})
    EXPECT_EQ(make_remote_client({.target = bad}).status().code(), StatusCode::kInvalidArgument) << bad;
}

}  // namespace
}  // namespace hilo::rpc
